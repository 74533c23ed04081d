// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { DEAD_LETTER_FIELDS, filterWords } from '../lib/filters.js';
import { useKeys } from '../lib/keys.js';
import { counted, countText, sumOf } from '../lib/money.js';
import { may } from '../lib/session.js';
import { Action, WhyNot } from '../parts/actions.js';
import { Money } from '../parts/sums.js';
import { PlanDialog } from './plan.js';

function byStanding(rows) {
  const standings = [...new Set(rows.map((row) => row.standing))];
  return Object.fromEntries(standings.map((standing) => [standing, sumOf(rows.filter((row) => row.standing === standing))]));
}

/** What is selected, and what can be done with it. */
export function ChangeBar({ selection, filter, state, total, standings, done }) {
  const [plan, setPlan] = useState(null);
  const nothing = selection.isEmpty ? 'Select rows first, or everything that the filter shows.' : '';
  const begin = (kind) => {
    if (nothing || !may('operate')) return;
    setPlan({
      kind,
      target: selection.whole ? { filter } : { ids: selection.ids },
      words: selection.whole ? filterWords(filter, DEAD_LETTER_FIELDS) : counted(selection.ids.length, 'selected row'),
      shown: selection.sum,
      standings: selection.whole ? standings : byStanding(selection.rows),
      evenStopped: !selection.whole || filter.cause === 'stopped',
    });
  };
  const isPurged = state === 'purged';
  useKeys(isPurged ? { e: selection.selectWhole } : { m: () => begin('merge'), p: () => begin('purge'), e: selection.selectWhole }, !plan);
  return html`<div class=${`change-bar ${selection.isEmpty ? '' : 'active'}`} role="region" aria-label="Selection">
    <p class="chosen" aria-live="polite">
      ${selection.isEmpty ? html`<span class="none">Nothing is selected.</span>`
        : html`<strong>${countText(selection.sum?.count)}</strong> selected${selection.whole ? ', all that the filter shows' : ''} <${Money} of=${selection.sum?.money} most=${3} />`}
      ${!selection.whole && total?.count > 0 && html` <button type="button" class="plain small" onClick=${selection.selectWhole}>Select all ${countText(total.count)}</button>`}
      ${!selection.isEmpty && html` <button type="button" class="plain small" onClick=${selection.clear}>Select nothing</button>`}
    </p>
    <div class="buttons">
      ${isPurged
        ? html`<${Action} kind="primary" not=${nothing} onClick=${() => begin('restore')}>Restore …<//>`
        : html`<${Action} kind="primary" not=${nothing} onClick=${() => begin('merge')}>Merge …<//>
          <${Action} kind="danger" not=${nothing} onClick=${() => begin('purge')}>Purge …<//>`}
    </div>
    <${WhyNot} />
    ${plan && html`<${PlanDialog} ...${plan} close=${() => setPlan(null)} done=${done} />`}
  </div>`;
}
