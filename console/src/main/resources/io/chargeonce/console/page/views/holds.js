// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../lib/html.js';
import { post, remove } from '../lib/api.js';
import { queryOf } from '../lib/filters.js';
import { useLoad } from '../lib/load.js';
import { counted, countText } from '../lib/money.js';
import { say } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { Field, Reason } from '../parts/fields.js';
import { When } from '../parts/moments.js';
import { Money } from '../parts/sums.js';

const MEANS = {
  pause: {
    psp: 'No new attempt, refund or probe goes there. Payments go to other PSPs of their routes, or wait in the tiers without counting an attempt.',
    merchant: 'Its payments and refunds are accepted and not tried. They wait in the tiers without counting an attempt.',
    tier: 'What is due there is not tried, and waits on its topic.',
  },
  force: { psp: 'Its breaker counts as closed: attempts go there although many fail. Each one that fails counts.' },
};
const FOR = [['15', '15 minutes'], ['60', '1 hour'], ['240', '4 hours'], ['1440', '1 day']];
/** A force always ends. */
const UNTIL = { pause: [['', 'until it is resumed'], ...FOR], force: FOR };
const KINDS = [['merchant', 'Merchant'], ['psp', 'PSP'], ['tier', 'Tier']];
const PAUSE_IN_TYPING = 300;

/** Keeps a PSP, merchant or tier from working, or forces a PSP: what that concerns is shown first. */
export function HoldDialog({ kind: firstKind, name: firstName = '', action, fixed, close, done }) {
  const [kind, setKind] = useState(firstKind);
  const [name, setName] = useState(firstName);
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('60');
  const [typed, setTyped] = useState(firstName);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(name.trim().replace(/^retry-/, '')), PAUSE_IN_TYPING);
    return () => clearTimeout(timer);
  }, [name]);
  const look = useLoad(typed ? `/api/holds/${kind}/${encodeURIComponent(typed)}?${queryOf({ minutes })}` : null);
  const send = () => post('/api/holds', { kind, name: typed, action, reason: reason.trim(), ...(minutes ? { minutes: Number(minutes) } : {}) });
  const does = action === 'force' ? 'Force' : 'Pause';
  return html`<${Asked} title=${fixed ? `${does} ${name}` : 'Pause'} button=${does} send=${send} ready=${look.data && reason.trim()} close=${close}
      done=${() => { say(`${name} is ${action === 'force' ? 'forced' : 'paused'}. Every process obeys within two seconds.`); done(); }}>
    ${!fixed && html`<div class="field-row">
      <${Field} label="What" value=${kind} set=${setKind} choices=${KINDS} />
      <${Field} label=${kind === 'tier' ? 'Number of the tier' : 'Name'} value=${name} set=${setName} required autocomplete="off" />
    </div>`}
    <p>${MEANS[action][kind]} ${action === 'pause' && 'A payment whose deadline passes meanwhile is never charged late: it becomes a dead letter.'}</p>
    <${Field} label="For how long" value=${minutes} set=${setMinutes} choices=${UNTIL[action]} />
    <${Effect} of=${look} action=${action} kind=${kind} />
    <${Reason} value=${reason} set=${setReason} autofocus=${fixed} />
  <//>`;
}

/** What is concerned, in counts and money. */
function Effect({ of, action, kind }) {
  if (of.problem) return html`<p class="notice warning" role="status">${of.problem.message}</p>`;
  if (!of.data) return html`<p class="hint" role="status">${of.loading ? 'Reading what it concerns …' : 'Name it to see what it concerns.'}</p>`;
  const { waiting, expiring, first_deadline: deadline, recent, recent_of: lookedAt, asked, other_psps: others, already } = of.data;
  return html`<div class="effect" role="group" aria-label="What it concerns">
    ${already && html`<p class="notice warning">${already.by} ${already.action === 'force' ? 'forced' : 'paused'} it already: ${already.reason}. This takes the place of that.</p>`}
    <ul class="sum-rows">
      <${Concerned} sum=${waiting} words="wait in the tiers for it now" />
      ${kind !== 'tier' && lookedAt > 0 && html`<${Concerned} sum=${recent} words=${`of the last ${countText(lookedAt)} attempts were ${kind === 'psp' ? 'sent there' : 'its'}`} />`}
      ${action === 'pause' && expiring.count > 0 && html`<${Concerned} sum=${expiring} tone="critical"
        words=${html`of these would pass their deadline, the first <${When} at=${deadline} />`} />`}
    </ul>
    ${asked > 0 && html`<p>${counted(asked, 'unknown outcome')} ${asked === 1 ? 'is' : 'are'} still queried, which at Adyen and for refunds may execute the attempt.</p>`}
    ${action === 'pause' && kind === 'psp' && others.length === 0 && html`<p class="warning">No other PSP is set up, so all payments wait.</p>`}
  </div>`;
}

function Concerned({ sum, words, tone }) {
  return html`<li><span class="number">${countText(sum.count)}</span><span class=${tone}>${words}</span>${sum.count > 0 ? html`<${Money} of=${sum.money} most=${3} />` : html`<span></span>`}</li>`;
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
export function Asked({ title, button, send, ready, close, done, children }) {
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
