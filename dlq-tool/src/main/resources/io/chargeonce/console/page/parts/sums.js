// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { amountText, moneyList } from '../lib/money.js';

export function Amount({ amount, currency }) {
  return currency
    ? html`<span class="money"><span class="amount">${amountText(amount, currency)}</span> <span class="currency">${currency}</span></span>`
    : html`<span class="none">–</span>`;
}

/** One line per currency; never added up across currencies. */
export function Money({ of, most = 4 }) {
  const sums = moneyList(of);
  if (sums.length === 0) return html`<span class="none">no money</span>`;
  return html`<span class="sums">
    ${sums.slice(0, most).map((sum) => html`<${Amount} key=${sum.currency} ...${sum} />`)}
    ${sums.length > most && html`<span class="more" title=${sums.slice(most).map((s) => `${amountText(s.amount, s.currency)} ${s.currency}`).join(', ')}>
      and ${sums.length - most} more currencies</span>`}
  </span>`;
}
