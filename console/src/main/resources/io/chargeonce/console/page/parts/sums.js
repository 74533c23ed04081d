// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { amountText, moneyList, moneyWords } from '../lib/money.js';

export function Amount({ amount, currency }) {
  return currency
    ? html`<span class="money"><span class="amount">${amountText(amount, currency)}</span> <span class="currency">${currency}</span></span>`
    : html`<span class="none">–</span>`;
}

/** One line per currency; never added up across currencies. */
export function Money({ of, most = 4 }) {
  const sums = moneyList(of);
  if (sums.length === 0) return html`<span class="none">no money</span>`;
  // The words "and 1 more" need the room of the one.
  const shown = sums.length <= most + 1 ? sums : sums.slice(0, most);
  const rest = sums.slice(shown.length);
  return html`<span class="sums">
    ${shown.map((sum) => html`<${Amount} key=${sum.currency} ...${sum} />`)}
    ${rest.length > 0 && html`<span class="more" title=${moneyWords(rest)}>and ${rest.length} more currencies</span>`}
  </span>`;
}
