// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { queryOf } from '../lib/filters.js';
import { countText } from '../lib/money.js';
import { withQuery } from '../lib/router.js';
import { plain } from '../lib/words.js';
import { Age } from '../parts/moments.js';
import { Bar } from '../parts/progress.js';
import { Loaded } from '../parts/states.js';
import { Money } from '../parts/sums.js';
import { Choice } from '../parts/tabs.js';

const BY = [['cause', 'cause'], ['psp', 'PSP'], ['merchant', 'merchant'], ['currency', 'currency'], ['age', 'age']];
const MOST = 8;

/** Where the money is: each group is a link that shows exactly its dead letters. */
export function Groups({ of, by, state }) {
  return html`<section class="groups panel" aria-labelledby="groups-title">
    <header><h2 id="groups-title">Grouped by</h2>
      <${Choice} label="Group by" current=${by} choices=${BY.map(([name, text]) => [name, text, withQuery({ by: name === 'cause' ? null : name })])} />
    </header>
    <${Loaded} of=${of} what="the groups">${({ items: groups }) => (groups.length === 0
      ? html`<p class="nothing">There is nothing to group.</p>`
      : html`<${GroupRows} groups=${groups} by=${by} state=${state} />`)}<//>
  </section>`;
}

function GroupRows({ groups, by, state }) {
  const most = Math.max(...groups.map((group) => group.count));
  return html`<ul class="group-rows">
    ${groups.slice(0, MOST).map((group) => html`<li key=${group.key}>
      ${group.filter === null ? html`<span>${plain(group.key)}</span>` : html`<a href=${target(group, by, state)}>${plain(group.key)}</a>`}
      <${Bar} label=${`Share of ${plain(group.key)}`} value=${group.count} max=${most} text=${countText(group.count)} />
      <span class="number">${countText(group.count)}</span>
      <${Money} of=${group.money} most=${2} />
      <span class="oldest">oldest <${Age} at=${group.oldest_at} /></span>
    </li>`)}
    ${groups.length > MOST && html`<li class="none">and ${groups.length - MOST} smaller groups; a filter shows them.</li>`}
  </ul>`;
}

function target(group, by, state) {
  const query = new URLSearchParams(group.filter);
  return `/dead-letters?${queryOf(Object.fromEntries(query), { by: by === 'cause' ? '' : by, state: state === 'purged' ? state : '' })}`;
}
