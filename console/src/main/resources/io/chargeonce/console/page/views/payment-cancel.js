// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { post } from '../lib/api.js';
import { say } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { Reason } from '../parts/fields.js';

/** Cancels one payment, for a reason. */
export function CancelDialog({ id, close, done }) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const { result, run } = await post(`/api/payments/${encodeURIComponent(id)}/cancel`, { reason: reason.trim() });
      say(result === 'canceled' ? `Canceled, as ${run}.` : `Its PSP is queried, and it is canceled unless it was charged, as ${run}.`);
      close();
      done();
    } catch (refused) {
      setProblem(refused);
      setBusy(false);
    }
  };
  return html`<${Dialog} title="Cancel this payment" close=${close}>
    <form onSubmit=${submit}>
      <p>It is not charged any more, and its merchant is informed. This cannot be undone. If an attempt may have charged it, the PSP is queried first. If it was charged, it stays charged; refund it.</p>
      ${problem && html`<div class="notice critical" role="alert"><p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}</div>`}
      <${Reason} value=${reason} set=${setReason} autofocus />
      <footer><button type="button" class="plain" onClick=${close}>Not now</button>
        <button type="submit" class="danger" disabled=${!reason.trim()} aria-disabled=${busy ? 'true' : undefined}>${busy ? 'One moment …' : 'Cancel the payment'}</button></footer>
    </form>
  <//>`;
}
