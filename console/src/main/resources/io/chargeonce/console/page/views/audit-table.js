// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { countText } from '../lib/money.js';
import { plain } from '../lib/words.js';
import { Exact } from '../parts/moments.js';
import { Empty } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';

const COLUMNS = [
  { label: 'When', cell: (line) => html`<${Exact} at=${line.from} />` },
  { label: 'Who', cell: (line) => line.actor },
  { label: 'From where', cell: (line) => line.claim ?? html`<span class="none">–</span>` },
  { label: 'What', cell: (line) => html`<span class="what" title=${line.action}>${plain(line.action).replace('dlq.', '').replace('.', ' ')}</span>` },
  { label: 'Of', cell: (line) => (line.of ? html`<span class="id" title=${line.of}>${line.of}</span>` : html`<span class="none">–</span>`) },
  { label: 'Count', number: true, cell: (line) => (line.count > 0 ? countText(line.count) : html`<span class="none">–</span>`) },
  { label: 'Money', number: true, cell: (line) => (Object.keys(line.money).length > 0 ? html`<${Money} of=${line.money} most=${2} />` : html`<span class="none">–</span>`) },
  { label: 'Why', cell: (line) => html`<span class="why">${[line.verdict && plain(line.verdict), line.reason].filter(Boolean).join(': ')
      || html`<span class="none">no reason given</span>`}</span>` },
];
const RUN = { label: 'Run', cell: (line) => (line.run ? html`<a class="id" href=${`/runs/${line.run}`}>${line.run}</a>` : html`<span class="none">–</span>`) };

/** Lines of the audit log; what one call did is one line. */
export function AuditTable({ lines, withRun = true, keys = false }) {
  if (lines.length === 0) {
    return html`<${Empty} title="No one did anything of this kind.">The log is read for the last 30 days, unless the filter says otherwise.<//>`;
  }
  return html`<${Table} caption="Audit log, the latest first" columns=${withRun ? [...COLUMNS, RUN] : COLUMNS} rows=${lines}
    rowKey=${(line) => `${line.from} ${line.actor} ${line.action} ${line.run ?? ''}`} keys=${keys} />`;
}
