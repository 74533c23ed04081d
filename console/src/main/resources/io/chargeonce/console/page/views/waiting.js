// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { filterOf, filterWords, queryOf, WAITING_FIELDS } from '../lib/filters.js';
import { overview } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { counted, countText } from '../lib/money.js';
import { place, withQuery } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { duration } from '../lib/time.js';
import { plain } from '../lib/words.js';
import { Action, WhyNot } from '../parts/actions.js';
import { Badge } from '../parts/badge.js';
import { FilterBar } from '../parts/filterbar.js';
import { When } from '../parts/moments.js';
import { Pager } from '../parts/pager.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Amount, Money } from '../parts/sums.js';
import { Table } from '../parts/table.js';
import { Choice } from '../parts/tabs.js';
import { Title } from '../parts/title.js';
import { EndWait } from './waiting-change.js';
import { useSelection } from './selection.js';

const GROUPS = [
  { label: 'Tier', cell: (group) => `retry-${group.tier}` },
  { label: 'Why', wide: true, cell: (group) => html`${plain(group.cause)} ${group.state === 'parked' && html`<${Badge} title="Waits without counting an attempt, because the PSP is unwell or held">parked<//>`}` },
  { label: 'PSP', cell: (group) => group.psp ?? html`<span class="none">–</span>` },
  { label: 'Count', number: true, cell: (group) => countText(group.count) },
  { label: 'Money', number: true, cell: (group) => html`<${Money} of=${group.money} most=${2} />` },
  { label: 'Next due', number: true, cell: (group) => dueIn(group.next_due_seconds) },
  { label: 'Last due', number: true, cell: (group) => dueIn(group.last_due_seconds) },
];

const EACH = [
  { label: 'Payment', cell: (one) => html`<span class="id">${one.operation_id}</span>` },
  { label: 'Amount', number: true, cell: (one) => html`<${Amount} amount=${one.amount} currency=${one.currency} />` },
  { label: 'Why', wide: true, cell: (one) => html`<span class="cause">${plain(one.cause)}</span> ${one.state === 'parked' && html`<${Badge}>parked<//>`}
      ${one.message && html`<span class="message" title=${one.message}>${one.message}</span>`}` },
  { label: 'PSP', cell: (one) => one.psp ?? html`<span class="none">–</span>` },
  { label: 'Merchant', cell: (one) => one.merchant },
  { label: 'Tier', number: true, cell: (one) => one.tier },
  { label: 'Attempts', number: true, cell: (one) => one.attempts },
  { label: 'Due', number: true, cell: (one) => html`<${When} at=${one.due_at} />` },
];

function dueIn(seconds) {
  return seconds > 0 ? `in ${duration(seconds)}` : html`<span class="none">due now</span>`;
}

/** What waits in the retry tiers: why, how much, and when it is tried next. */
export function Waiting() {
  const { query } = useStore(place);
  const tiers = useStore(overview)?.tiers ?? [];
  const tier = query.get('tier') ?? '';
  const cursor = query.get('cursor');
  const filter = { ...filterOf(query, WAITING_FIELDS), ...(tier ? { tier } : {}) };
  const address = queryOf(filter);
  const list = useLoad(`/api/waiting?${queryOf(filter, { cursor })}`);
  const rows = list.data?.items ?? [];
  const total = list.data?.total;
  const selection = useSelection(address, rows, total);
  const [change, setChange] = useState(null);
  const begin = (action) => setChange({
    action,
    target: selection.isEmpty || selection.whole ? { filter } : { ids: selection.ids },
    words: selection.isEmpty || selection.whole ? filterWords(filter, [...WAITING_FIELDS, { name: 'tier', label: 'Tier' }]) : counted(selection.ids.length, 'selected payment'),
    shown: selection.isEmpty ? total : selection.sum,
    asOf: list.data.as_of,
  });
  const reload = () => {
    selection.clear();
    list.reload();
  };
  const numbers = tiers.map((one) => one.tier);
  return html`
    <${Title} text="Waiting in the tiers">
      <${Choice} label="Tier" current=${tier} choices=${[['', 'All', withQuery({ tier: null, cursor: null })],
        ...numbers.map((number) => [String(number), `retry-${number}`, withQuery({ tier: number, cursor: null })])]} />
      <${ReadAt} of=${list} />
    <//>
    <${Tiers} tiers=${tiers.filter((one) => !tier || String(one.tier) === tier)} />
    <${FilterBar} fields=${WAITING_FIELDS} keep=${['tier']} />
    <${Loaded} of=${list} what="what waits">${(data) => (total.count === 0
      ? html`<${Empty} title=${address ? 'Nothing of this kind waits in the tiers.' : 'Nothing waits in the tiers.'}>Payments come here after a definite failure, and leave by themselves when they are due.<//>`
      : html`
        <div class="total"><span class="number">${countText(total.count)}</span><span class="of">waiting</span><${Money} of=${total.money} most=${6} /></div>
        <section class="panel" aria-label="Groups"><${Table} caption="What waits, by tier and cause" columns=${GROUPS} rows=${data.groups} keys=${false}
          rowKey=${(group) => `${group.tier} ${group.state} ${group.cause} ${group.psp}`} /></section>
        <div class="change-bar active" role="region" aria-label="Selection">
          <p class="chosen" aria-live="polite">${selection.isEmpty ? `All ${countText(total.count)} that are shown` : `${countText(selection.sum.count)} selected`}
            ${!selection.isEmpty && html` <button type="button" class="plain small" onClick=${selection.clear}>Select nothing</button>`}</p>
          <div class="buttons">
            <${Action} kind="primary" onClick=${() => begin('now')}>Retry now …<//>
            <${Action} kind="danger" onClick=${() => begin('stop')}>Stop …<//>
          </div>
          <${WhyNot} />
        </div>
        <${Table} caption="Waiting payments, what is due first comes first" columns=${EACH} rows=${rows} selection=${selection}
            rowKey=${(one) => one.operation_id} href=${(one) => `/payments/${encodeURIComponent(one.operation_id)}`} />
        <${Pager} next=${data.next} cursor=${cursor} shown=${countText(rows.length)} total=${countText(total.count)} />`)}<//>
    ${list.data?.presentations > 0 && html`<p class="hint">${counted(list.data.presentations, 'declined payment')} wait in no tier: to be presented again, or to end as declined. Retry now and stop leave them.</p>`}
    ${change && html`<${EndWait} ...${change} close=${() => setChange(null)} done=${reload} />`}`;
}

function Tiers({ tiers }) {
  if (tiers.length === 0) return null;
  return html`<section class="figures tiers" aria-label="Tiers">${tiers.map((one) => html`<div class=${`figure ${one.count > 0 ? '' : 'zero'}`} key=${one.tier}>
    <span class="label">retry-${one.tier} ${one.held && html`<${Badge} tone="warning">paused<//>`}</span>
    <span class="number">${countText(one.count)}</span>
    ${one.count > 0 && html`<${Money} of=${one.money} most=${2} />`}
    <span class="oldest">${one.next_due_at ? html`next due <${When} at=${one.next_due_at} />` : 'nothing is due'}
      ${one.late > 0 && html`, <strong class="critical">${countText(one.late)} late</strong>`}</span>
  </div>`)}</section>`;
}
