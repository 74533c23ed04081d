// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { plain, STANDINGS } from '../lib/words.js';
import { Badge } from '../parts/badge.js';
import { Age, When } from '../parts/moments.js';
import { Empty } from '../parts/states.js';
import { Amount } from '../parts/sums.js';
import { Table } from '../parts/table.js';

const TONES = { unresolved: 'warning', charged: 'good', needs_a_person: 'warning', poison: 'warning' };

export function Standing({ of }) {
  return html`<${Badge} tone=${TONES[of]} title=${STANDINGS[of]?.why}>${STANDINGS[of]?.is ?? plain(of)}<//>`;
}

const COLUMNS = [
  { label: 'Payment', cell: (letter) => html`<span class="id">${letter.operation_id ?? letter.dead_letter_id}</span>` },
  { label: 'Amount', number: true, cell: (letter) => html`<${Amount} amount=${letter.amount} currency=${letter.currency} />` },
  { label: 'Cause', wide: true, cell: (letter) => html`<span class="cause">${plain(letter.cause)}</span>
      ${letter.message && html`<span class="message" title=${letter.message}>${letter.message}</span>`}` },
  { label: 'Standing', cell: (letter) => html`<${Standing} of=${letter.standing} />` },
  { label: 'PSP', cell: (letter) => letter.psp ?? html`<span class="none">–</span>` },
  { label: 'Merchant', cell: (letter) => letter.merchant ?? html`<span class="none">–</span>` },
  { label: 'Tier', number: true, slim: true, cell: (letter) => letter.tier || html`<span class="none">–</span>` },
  { label: 'Merged', number: true, slim: true, cell: (letter) => (letter.generation > 1 ? `${letter.generation - 1} ×` : html`<span class="none">–</span>`) },
  { label: 'Age', number: true, cell: (letter) => html`<${Age} at=${letter.died_at} />` },
];

const PURGED = { label: 'Purged', number: true, cell: (letter) => html`<${When} at=${letter.changed_at} />` };

export function Letters({ items, selection, filtered, purged }) {
  if (items.length === 0) {
    return filtered
      ? html`<${Empty} title="No dead letter is like this.">Clear a field of the filter, or look among ${purged ? 'those in the queue' : 'the purged ones'}.<//>`
      : purged ? html`<${Empty} title="Nothing purged is left to restore.">What is purged can be restored here for 30 days.<//>`
      : html`<${Empty} title="The dead-letter queue is empty.">Nothing is to be done. Payments that wait for a retry are under <a href="/waiting">Waiting</a>.<//>`;
  }
  return html`<${Table} caption=${purged ? 'Purged dead letters' : 'Dead letters'} columns=${purged ? [...COLUMNS.slice(0, -1), PURGED] : COLUMNS} rows=${items} selection=${selection}
    rowKey=${(letter) => letter.dead_letter_id} href=${(letter) => `/payments/${encodeURIComponent(letter.operation_id ?? letter.dead_letter_id)}`} />`;
}
