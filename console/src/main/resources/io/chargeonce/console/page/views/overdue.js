// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { overview } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { countText } from '../lib/money.js';
import { useStore } from '../lib/store.js';
import { plain } from '../lib/words.js';
import { Age, When } from '../parts/moments.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Amount, Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Title } from '../parts/title.js';

const COLUMNS = [
  { label: 'Payment', cell: (late) => html`<span class="id">${late.payment_id}</span>` },
  { label: 'Amount', number: true, cell: (late) => html`<${Amount} amount=${late.amount} currency=${late.currency} />` },
  { label: 'Merchant', cell: (late) => late.merchant },
  { label: 'Last seen at', cell: (late) => html`${plain(late.last_stage)} <span class="none"><${When} at=${late.last_seen_at} /></span>` },
  { label: 'Accepted', number: true, cell: (late) => html`<${When} at=${late.accepted_at} />` },
  { label: 'Late by', number: true, cell: (late) => html`<strong class="critical"><${Age} at=${late.due_by} /></strong>` },
];

/** Accepted, but neither settled, waiting nor dead within its time. */
export function Overdue() {
  const list = useLoad('/api/overdue');
  const witness = useStore(overview)?.witness;
  const state = String(witness?.state ?? 'live').toLowerCase();
  return html`
    <${Title} text="Overdue"><${ReadAt} of=${list} /><//>
    <p class="lead">Accepted payments that are neither settled, waiting in a tier nor dead, though their time is over. The sweeper stages again what Kafka has lost.</p>
    ${state !== 'live' && html`<p class="notice warning">The witness is ${state}${state === 'rebuilding' ? `, ${Math.floor(witness.percent)} %` : ''}. This list is not complete before it is live.</p>`}
    <${Loaded} of=${list} what="what is overdue">${(data) => (data.items.length === 0
      ? html`<${Empty} title=${state === 'live' ? 'Nothing is overdue.' : 'Nothing overdue has been seen yet.'}>Every accepted payment is settled, waiting, dead, or still within its time.<//>`
      : html`<div class="total"><span class="number">${countText(data.count)}</span><span class="of">overdue</span><${Money} of=${data.money} most=${6} /></div>
        ${data.count > data.items.length && html`<p class="hint">The ${countText(data.items.length)} that are late longest are listed.</p>`}
        <${Table} caption="Overdue payments" columns=${COLUMNS} rows=${data.items} rowKey=${(late) => late.payment_id}
          href=${(late) => `/payments/${encodeURIComponent(late.payment_id)}`} />`)}<//>`;
}
