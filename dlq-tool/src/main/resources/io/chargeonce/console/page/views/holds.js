// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../lib/html.js';
import { post, remove } from '../lib/api.js';
import { say } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { Field, Reason } from '../parts/fields.js';

const MEANS = {
  pause: {
    psp: 'No new attempt goes there, refunds and probes neither. Payments go to other PSPs of their routes, or wait in the tiers without counting an attempt.',
    merchant: 'Its payments and refunds are accepted and not tried. They wait in the tiers without counting an attempt.',
    tier: 'What is due there is not tried, and waits on its topic.',
  },
  force: { psp: 'Its breaker counts as closed: attempts go there although many fail. Each one that fails counts.' },
};
const FOR = [['', 'until it is resumed'], ['15', '15 minutes'], ['60', '1 hour'], ['240', '4 hours'], ['1440', '1 day']];
const KINDS = [['psp', 'PSP'], ['merchant', 'Merchant'], ['tier', 'Tier']];

/** Keeps a PSP, merchant or tier from working, or forces a PSP. */
export function HoldDialog({ kind: firstKind, name: firstName = '', action, fixed, close, done }) {
  const [kind, setKind] = useState(firstKind);
  const [name, setName] = useState(firstName);
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('60');
  const send = () => post('/api/holds', { kind, name: name.trim().replace(/^retry-/, ''), action, reason: reason.trim(), ...(minutes ? { minutes: Number(minutes) } : {}) });
  const title = fixed ? `${action === 'force' ? 'Force' : 'Pause'} ${name}` : 'Pause';
  return html`<${Asked} title=${title} button=${action === 'force' ? 'Force' : 'Pause'} send=${send} ready=${name.trim() && reason.trim()} close=${close}
      done=${() => { say(`${name} is ${action === 'force' ? 'forced' : 'paused'}. Every process obeys within two seconds.`); done(); }}>
    ${!fixed && html`<div class="field-row">
      <${Field} label="What" value=${kind} set=${setKind} choices=${KINDS} />
      <${Field} label=${kind === 'tier' ? 'Number of the tier' : 'Name'} value=${name} set=${setName} required autocomplete="off" />
    </div>`}
    <p>${MEANS[action][kind]} ${action === 'pause' && 'A payment whose deadline passes meanwhile is never charged late: it becomes a dead letter.'}</p>
    <${Field} label="For how long" value=${minutes} set=${setMinutes} choices=${FOR} />
    <${Reason} value=${reason} set=${setReason} autofocus=${fixed} />
  <//>`;
}

export function ResumeDialog({ hold, close, done }) {
  const [reason, setReason] = useState('');
  const send = () => remove(`/api/holds/${encodeURIComponent(hold.kind)}/${encodeURIComponent(hold.name)}`, { reason: reason.trim() });
  return html`<${Asked} title=${`Resume ${hold.name}`} button="Resume" send=${send} ready=${reason.trim()} close=${close}
      done=${() => { say(`${hold.name} works as usual again.`); done(); }}>
    <p>${hold.by} ${hold.was === 'force' ? 'forced' : 'paused'} it: ${hold.reason}</p>
    <p>What waits for it goes on when it is due, or at once with retry now.</p>
    <${Reason} value=${reason} set=${setReason} autofocus />
  <//>`;
}

/** A form in a dialog: sends, closes, or says why not. */
function Asked({ title, button, send, ready, close, done, children }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await send();
      close();
      done();
    } catch (refused) {
      setProblem(refused);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${submit}>
      ${problem && html`<div class="notice critical" role="alert"><p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}</div>`}
      ${children}
      <footer><button type="button" class="plain" onClick=${close}>Not now</button>
        <button type="submit" class="primary" disabled=${!ready} aria-disabled=${busy ? 'true' : undefined}>${busy ? 'One moment …' : button}</button></footer>
    </form>
  <//>`;
}
