// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { overview } from '../lib/live.js';
import { useLoad } from '../lib/load.js';
import { useStore } from '../lib/store.js';
import { Command } from '../parts/command.js';
import { When } from '../parts/moments.js';
import { Empty, Loaded, ReadAt } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { StageTable } from './stage-table.js';

/** Whether what came into each stage has left it or is still there, as the witness counts it from Kafka alone. */
export function Conservation() {
  const read = useLoad('/api/conservation');
  const problem = useStore(overview)?.witness?.problem;
  return html`
    <${Title} text="The books"><${ReadAt} of=${read} /><//>
    <p class="lead">What comes into a stage leaves it or is in flight there: in counts, and in money per currency. The witness counts it from Kafka alone.</p>
    ${problem && html`<p class="notice warning">The witness does not see everything: ${problem}</p>`}
    <${Loaded} of=${read} what="the books">${({ items: stages, balanced, since }) => html`
      <${Balance} balanced=${balanced} since=${since} />
      ${stages.length === 0 ? html`<${Empty} title="No stage has been counted yet.">A stage is listed once a payment has reached it.<//>` : html`<${StageTable} flow=${stages} />`}`}<//>
    <p class="hint">What disagrees, record by record: <${Command} text="chargeonce dlq verify" /></p>`;
}

function Balance({ balanced, since }) {
  if (balanced === true) return html`<p class="notice">Every stage balances.</p>`;
  if (balanced === false) {
    return html`<div class="notice critical" role="alert"><p><strong>The books do not balance${since ? html` since <${When} at=${since} />` : ''}.</strong></p>
      <p>Look at the stages with a difference, then at the payments that are overdue.</p></div>`;
  }
  return html`<p class="notice warning">Whether the books balance is not known yet: the witness has not read everything.</p>`;
}
