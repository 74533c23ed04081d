// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { countText } from '../lib/money.js';
import { Amount } from '../parts/sums.js';

/** in = out + in flight, or the difference: for each stage and currency, of payments and of refunds. */
export function StageTable({ flow }) {
  return html`<table role="table">
    <caption class="for-readers">In, out and in flight of each stage and currency</caption>
    <thead role="rowgroup"><tr role="row">
      ${['Stage', 'In', 'Out', 'In flight', 'Money in', 'Money out', 'Money in flight', 'Difference'].map((label, at) => html`
        <th role="columnheader" scope="col" key=${label} class=${at > 0 ? 'number' : ''}>${label}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">
      ${flow.map((row) => html`<tr role="row" key=${row.name + row.kind + row.currency}>
        <td role="cell" data-label="Stage">${row.name} <span class="none">${row.currency}${row.kind === 'refund' ? ' refunds' : ''}</span></td>
        <td role="cell" class="number" data-label="In">${countText(row.in)}</td>
        <td role="cell" class="number" data-label="Out">${countText(row.out)}</td>
        <td role="cell" class="number" data-label="In flight">${countText(row.in_flight)}</td>
        <td role="cell" class="number" data-label="Money in"><${Amount} amount=${row.in_money} currency=${row.currency} /></td>
        <td role="cell" class="number" data-label="Money out"><${Amount} amount=${row.out_money} currency=${row.currency} /></td>
        <td role="cell" class="number" data-label="Money in flight"><${Amount} amount=${row.in_flight_money} currency=${row.currency} /></td>
        <td role="cell" class=${`number ${row.difference !== 0 || row.difference_money !== 0 ? 'critical' : 'none'}`} data-label="Difference">
          ${row.difference === 0 && row.difference_money === 0 ? 'none' : html`${countText(row.difference)} · <${Amount} amount=${row.difference_money} currency=${row.currency} />`}</td>
      </tr>`)}
    </tbody>
  </table>`;
}
