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

/** Ends the wait of exactly what was shown: one commit after another, so it needs no run to watch. */
export function EndWait({ action, target, words, shown, close, done }) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const text = WORDS[action];
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const result = await post(`/api/waiting/${action}`, { ...target, expect: shown, reason: reason.trim() });
      const moved = Object.entries(result?.results ?? {}).filter(([name]) => name !== 'gone').reduce((all, [, sum]) => all + sum.count, 0);
      say(`${counted(moved || shown.count, 'payment')}: ${action === 'now' ? 'tried now' : 'stopped'}${result?.run ? `, as ${result.run}` : ''}.`);
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
      <div class="plan-sum"><span class="number">${countText(shown.count)}</span> <span>waiting</span> <${Money} of=${shown.money} /></div>
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
