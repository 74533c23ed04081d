// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { isLive } from '../parts/flow.js';
import { When } from '../parts/moments.js';
import { StageTable } from './stage-table.js';

/** Whether in = out + in flight at every stage. It claims balance only while the witness sees everything. */
function balance(flow, witness) {
  if (!isLive(witness)) return html`<span class="none">Whether the books balance is not known yet.</span>`;
  const differing = flow.filter((row) => row.difference !== 0 || row.difference_money !== 0);
  const since = differing.map((row) => row.differs_since).filter(Boolean).sort()[0];
  if (since) return html`<strong class="critical">The books do not balance since <${When} at=${since} />.</strong>`;
  return differing.length > 0 ? html`<span>A stage differs at this moment. It is an alarm when it lasts.</span>` : html`<span>The books balance at every stage.</span>`;
}

export function Books({ flow, witness }) {
  return html`<details class="books">
    <summary>
      ${balance(flow, witness)}
      <span class="hint">Show the numbers</span>
    </summary>
    <${StageTable} flow=${flow} />
  </details>`;
}
