// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { post } from '../lib/api.js';
import { counted, countText } from '../lib/money.js';
import { say } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { Reason } from '../parts/fields.js';
import { Money } from '../parts/sums.js';

const WORDS = {
  now: { title: 'Retry now', button: 'Retry', explained: 'They are tried now and not when they are due. One whose PSP is still unwell is parked again. No payment can be charged twice by this.' },
  stop: { title: 'Stop waiting', button: 'Stop', explained: 'They are not tried again. They become dead letters, where merge and purge find them; the merge of the run undoes it.' },
};

/** What was done, in one sentence. */
function told(action, { results, finished, stopped_because: because, run }) {
  const of = (name) => results[name]?.count ?? 0;
  const moved = of('retried') + of('stopped');
  const parts = [`${counted(moved, 'payment')} ${action === 'now' ? 'tried now' : 'stopped'}, as ${run}`];
  if (of('gone') > 0) parts.push(`${countText(of('gone'))} had left the tier before`);
  if (!finished) parts.push(`not all of them (${because ?? 'there was no time'}): do it again`);
  return `${parts.join('; ')}.`;
}

/** Ends the wait of what was shown and still waits: one commit after another, so it needs no run to watch. */
export function EndWait({ action, target, words, shown, asOf, close, done }) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const text = WORDS[action];
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      say(told(action, await post(`/api/waiting/${action}`, { ...target, expect: shown, as_of: asOf, reason: reason.trim() })));
      close();
      done();
    } catch (refused) {
      setProblem(refused);
      setBusy(false);
      if (refused.status === 409) done();
    }
  };
  return html`<${Dialog} title=${`${text.title}: ${words}`} close=${close}>
    <form onSubmit=${submit}>
      <div class="plan-sum"><span class="number">${countText(shown.count)}</span> <span>waiting</span> <${Money} of=${shown.money} most=${Infinity} /></div>
      <p>${text.explained}</p>
      ${problem && html`<div class="notice critical" role="alert">
        ${problem.status === 409 ? html`<p><strong>What waits has changed since you saw it, so nothing was done.</strong> ${problem.message}</p><p>Close this. The list has been read again.</p>`
          : html`<p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}`}</div>`}
      <${Reason} value=${reason} set=${setReason} autofocus />
      <footer><button type="button" class="plain" onClick=${close}>Not now</button>
        <button type="submit" class=${action === 'stop' ? 'danger' : 'primary'} disabled=${!reason.trim() || problem?.status === 409} aria-disabled=${busy ? 'true' : undefined}>
          ${busy ? 'One moment …' : `${text.button} ${countText(shown.count)}`}</button></footer>
    </form>
  <//>`;
}
