// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { DEAD_LETTER_FIELDS, filterOf, filterWords, queryOf } from '../lib/filters.js';
import { overview } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { counted, countText } from '../lib/money.js';
import { place, withQuery } from '../lib/router.js';
import { useStore } from '../lib/store.js';
import { FilterBar } from '../parts/filterbar.js';
import { Fold } from '../parts/fold.js';
import { Pager } from '../parts/pager.js';
import { Loaded, ReadAt } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Choice } from '../parts/tabs.js';
import { Title } from '../parts/title.js';
import { Unmask, useUnmasking } from '../parts/unmask.js';
import { ChangeBar } from './dead-letters-change.js';
import { Groups } from './dead-letters-groups.js';
import { Letters, Standing } from './dead-letters-table.js';
import { useSelection } from './selection.js';

const PER_PAGE = 100;
const ORDERS = [['newest', 'newest first'], ['oldest', 'oldest first'], ['amount', 'largest first']];
const KEPT = ['by', 'state', 'order'];

export function DeadLetters() {
  const { query } = useStore(place);
  const filter = filterOf(query, DEAD_LETTER_FIELDS);
  const state = query.get('state') === 'purged' ? 'purged' : 'dead';
  const order = query.get('order') ?? 'newest';
  const cursor = query.get('cursor');
  const by = query.get('by') ?? 'cause';
  const unmasking = useUnmasking();
  const list = useLoad(`/api/dead-letters?${queryOf(filter, { state, order, cursor, limit: PER_PAGE, unmasked: unmasking.reason })}`);
  const groups = useLoad(`/api/dead-letters/groups?${queryOf(filter, { state, by })}`);
  const selection = useSelection(queryOf(filter, { state }), list.data?.items ?? [], list.data?.total);
  const causes = [...new Set((groups.data?.items ?? []).map((group) => group.key))].filter(Boolean);
  return html`
    <${Title} text=${state === 'purged' ? 'Purged dead letters' : 'Dead letters'}>
      <${Choice} label="Which dead letters" current=${state}
        choices=${[['dead', 'In the queue', withQuery({ state: null, cursor: null })], ['purged', 'Purged', withQuery({ state: 'purged', cursor: null })]]} />
      <${ReadAt} of=${list} />
    <//>
    <${FilterBar} fields=${DEAD_LETTER_FIELDS} keep=${KEPT} suggestions=${{ [by]: causes }} canSave />
    ${(list.data || !list.problem) && html`<${Fold} title=${`Groups by ${by}`}><${Groups} of=${groups} by=${by} state=${state} /><//>`}
    <${Loaded} of=${list} what="the dead letters">${(data) => html`
      <${Total} total=${data.total} filter=${filter} state=${state} />
      <${StandingSums} of=${data.standings} />
      <div class="list-tools">
        <${Choice} label="Order" current=${order} choices=${ORDERS.map(([name, text]) => [name, text, withQuery({ order: name === 'newest' ? null : name, cursor: null })])} />
        <a class="button plain" href=${`/api/dead-letters/export?${queryOf(filter, { state })}`} download="dead-letters.ndjson">Export</a>
        <${Unmask} of=${unmasking} />
      </div>
      <${ChangeBar} ...${{ selection, filter, state, total: data.total, standings: data.standings, done: () => { selection.clear(); list.reload(); groups.reload(); } }} />
      <${Letters} items=${data.items} selection=${selection} filtered=${Object.keys(filter).length > 0} purged=${state === 'purged'} />
      <${Pager} next=${data.next} cursor=${cursor} shown=${countText(data.items.length)} total=${countText(data.total?.count)} />
    `}<//>`;
}

/** The set, its money, and whether the queue has moved on since it was read. */
function Total({ total, filter, state }) {
  const now = useStore(overview);
  if (!total) return null;
  const everything = Object.keys(filter).length === 0 && state === 'dead';
  const moved = everything && now?.dead && now.dead.count !== total.count;
  return html`<div class="total">
    <span class="number">${countText(total.count)}</span>
    <span class="of">${state === 'purged' ? 'purged' : counted(total.count, 'dead letter').split(' ').slice(1).join(' ')}
      ${Object.keys(filter).length === 0 ? '' : html`<span class="none"> with ${filterWords(filter, DEAD_LETTER_FIELDS)}</span>`}</span>
    <${Money} of=${total.money} most=${6} />
    ${moved && html`<span class="notice inline warning">There are ${countText(now.dead.count)} now. Reload to see them.</span>`}
  </div>`;
}

/** The same set by what is known of its money. If it is all of one standing, its sum stands above. */
function StandingSums({ of }) {
  const present = Object.entries(of).filter(([, sum]) => sum.count > 0);
  return html`<ul class="standing-sums" aria-label="By standing">${present.map(([tag, sum]) => html`<li key=${tag}>
    <a href=${withQuery({ standing: tag, cursor: null })}><${Standing} of=${tag} /></a> ${present.length > 1 && html`<strong class="number">${countText(sum.count)}</strong> <${Money} of=${sum.money} most=${3} />`}
  </li>`)}</ul>`;
}
