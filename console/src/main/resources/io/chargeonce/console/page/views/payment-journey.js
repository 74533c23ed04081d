// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { absolute, clock, milliseconds } from '../lib/time.js';
import { plain } from '../lib/words.js';
import { Empty } from '../parts/states.js';
import { Table } from '../parts/table.js';

const COLUMNS = [
  { label: 'At', cell: (hop) => html`<time datetime=${hop.at} title=${absolute(hop.at)}>${clock(hop.at)}</time>` },
  { label: 'After', number: true, cell: (hop) => (hop.after === null ? html`<span class="none">–</span>` : milliseconds(hop.after)) },
  { label: 'Stage', cell: (hop) => hop.stage },
  { label: 'What', wide: true, cell: (hop) => html`${plain(hop.step)}${hop.cause ? html` <span class="none">${plain(hop.cause)}</span>` : ''}` },
  { label: 'PSP', cell: (hop) => hop.psp || html`<span class="none">–</span>` },
  { label: 'Record', number: true, cell: (hop) => html`<span class="id" title="partition and offset">${hop.partition} / ${hop.offset}</span>` },
];

/** Each record of the payment that the witness read. It reads Kafka only and shares nothing with the services. */
export function Journey({ hops }) {
  if (hops.length === 0) {
    return html`<${Empty} title="The witness has no record of it.">It keeps journeys for a limited time, and none while it rebuilds itself.<//>`;
  }
  const rows = hops.map((hop, at) => ({ ...hop, after: at === 0 ? null : Math.max(0, new Date(hop.at) - new Date(hops[at - 1].at)) }));
  return html`<${Table} caption="Records of this payment in Kafka" columns=${COLUMNS} rows=${rows} rowKey=${(hop) => `${hop.stage} ${hop.partition} ${hop.offset}`} keys=${false} />`;
}
