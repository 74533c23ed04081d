// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { Action } from './actions.js';
import { Dialog } from './dialog.js';
import { Reason } from './fields.js';

/** The reason lives in the view only, never in its address: a shared link must not unmask. */
export function useUnmasking() {
  const [reason, setReason] = useState('');
  return { reason, setReason };
}

export function Unmask({ of }) {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState('');
  if (of.reason) {
    return html`<p class="notice warning">Personal data is shown. The audit log has your reason: ${of.reason}
      <button type="button" class="plain small" onClick=${() => of.setReason('')}>Mask again</button></p>`;
  }
  const submit = (event) => {
    event.preventDefault();
    of.setReason(text.trim());
    setAsking(false);
  };
  return html`<${Action} right="unmask" kind="plain" onClick=${() => setAsking(true)}>Show personal data<//>
    ${asking && html`<${Dialog} title="Show personal data" close=${() => setAsking(false)}>
      <form onSubmit=${submit}>
        <p>Names, e-mail addresses and card tokens are shown on this view until you leave it. The audit log keeps your name and reason.</p>
        <${Reason} value=${text} set=${setText} autofocus />
        <footer><button type="button" class="plain" onClick=${() => setAsking(false)}>Not now</button>
          <button type="submit" class="primary" disabled=${!text.trim()}>Show</button></footer>
      </form>
    <//>`}`;
}
