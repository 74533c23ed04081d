// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../lib/html.js';
import { post } from '../lib/api.js';
import { session, whyNot } from '../lib/session.js';
import { KINDS, runState } from '../lib/words.js';
import { Action, WhyNot } from '../parts/actions.js';
import { say } from '../parts/announce.js';
import { Command } from '../parts/command.js';
import { Dialog } from '../parts/dialog.js';

const FASTEST = 2_000;

/** What this person can do with the run now: the server says it, and refuses the rest. */
export function RunControls({ run, reload }) {
  const [problem, setProblem] = useState(null);
  const [asking, setAsking] = useState('');
  const can = (what) => run.can?.includes(what);
  const act = async (what, body, done) => {
    setAsking('');
    setProblem(null);
    try {
      await post(`/api/runs/${encodeURIComponent(run.run)}/${what}`, body);
      say(done);
    } catch (refused) {
      setProblem(refused);
    }
    reload();
  };
  const seen = { fingerprint: run.fingerprint };
  const waits = runState(run) === 'awaits';
  const nothing = !run.can?.length;
  return html`<section class="controls" aria-label="What you can do">
    ${problem && html`<div class="notice critical" role="alert"><p><strong>${problem.message}</strong></p>${problem.next && html`<p>${problem.next}</p>`}</div>`}
    ${waits && html`<${Approval} run=${run} can=${can('approve')} approve=${() => setAsking('approve')} />`}
    <div class="buttons">
      ${can('start') && html`<${Action} kind="primary" onClick=${() => act('start', seen, 'The run has started.')}>Start<//>`}
      ${can('resume') && html`<${Action} kind="primary" onClick=${() => act('resume', seen, 'The run goes on.')}>Resume<//>`}
      ${can('stop') && html`<${Action} onClick=${() => act('stop', {}, 'The run stops after the batch that is under way.')}>Stop<//>`}
      ${can('cancel') && html`<${Action} kind="danger" onClick=${() => setAsking('cancel')}>Cancel …<//>`}
    </div>
    ${can('rate') && html`<${Rate} run=${run} set=${(rate) => act('rate', { rate }, `The rate is ${rate} a second now.`)} />`}
    ${nothing && run.state !== 'finished' && run.state !== 'cancelled' && html`<${WhyNot} />`}
    ${asking === 'cancel' && html`<${Dialog} title="Cancel this run" close=${() => setAsking('')}>
      <p>What has moved stays moved. The rest stays in the queue, and this run cannot be resumed.</p>
      <footer><button type="button" class="plain" onClick=${() => setAsking('')}>Keep it</button>
        <button type="button" class="danger" onClick=${() => act('cancel', {}, 'The run is cancelled.')}>Cancel the run</button></footer>
    <//>`}
    ${asking === 'approve' && html`<${Dialog} title=${`Approve this ${run.kind}`} close=${() => setAsking('')}>
      <p>You approve exactly the set with the fingerprint <code>${run.fingerprint}</code>, planned by ${run.planned_by}: ${run.reason}</p>
      <p>The audit log names both of you.</p>
      <footer><button type="button" class="plain" onClick=${() => setAsking('')}>Not now</button>
        <button type="button" class="primary" onClick=${() => act('approve', seen, 'The run is approved.')}>Approve</button></footer>
    <//>`}
  </section>`;
}

function Approval({ run, can, approve }) {
  const own = run.planned_by === session.get().person?.person;
  return html`<div class="notice accent">
    <p><strong>This ${KINDS[run.kind]?.does.toLowerCase() ?? 'run'} awaits approval by another person.</strong> Fingerprint <code>${run.fingerprint}</code></p>
    ${can ? html`<p><button type="button" class="primary" onClick=${approve}>Approve …</button></p>`
      : html`<p>${own ? 'You planned it, so another person approves it. Send them the address of this page, or this command.'
        : whyNot('approve') || 'Another person approves it, here or in a terminal.'}</p>
        <${Command} text=${`chargeonce dlq approve ${run.run}`} />`}
  </div>`;
}

/** The rate goes over when the hand lets go, not at every step of the slider. */
function Rate({ run, set }) {
  const now = run.rate_now ?? run.rate ?? run.max_rate ?? '';
  const [rate, setRate] = useState(String(now));
  useEffect(() => setRate(String(now)), [now]);
  const submit = (event) => {
    event.preventDefault();
    if (Number(rate) >= 1) set(Number(rate));
  };
  return html`<form class="rate" onSubmit=${submit}>
    <label for="rate-number">Rate</label>
    <input type="range" min="1" max=${FASTEST} value=${rate || 1} aria-label="Rate, as a slider" onInput=${(event) => setRate(event.currentTarget.value)}
           onChange=${() => set(Number(rate))} />
    <span class="input"><input id="rate-number" type="number" min="1" step="1" value=${rate} placeholder="no limit" onInput=${(event) => setRate(event.currentTarget.value)} /><span class="unit">/ s</span></span>
    <button type="submit">Set the rate</button>
  </form>`;
}
