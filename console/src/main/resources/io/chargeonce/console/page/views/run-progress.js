// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useRef } from '../lib/html.js';
import { counted, countText, percentText } from '../lib/money.js';
import { canaryPhase, dealtWith, shareDone, shareFailed } from '../lib/run.js';
import { runState } from '../lib/words.js';
import { say } from '../parts/announce.js';
import { Bar } from '../parts/progress.js';
import { Money } from '../parts/sums.js';

const TONES = { reentered: 'accent', asked: 'warning', resent: 'accent', purged: 'accent', restored: 'accent', retried: 'accent', stopped: 'accent' };
const SPOKEN_STEP = 0.25;

/** How far a run is. Each quarter is read out, not each number. */
export function RunProgress({ run }) {
  const done = dealtWith(run);
  const share = shareDone(run);
  const spoken = useRef(share);
  const state = runState(run);
  useEffect(() => {
    if (state === 'running' && share - spoken.current >= SPOKEN_STEP) {
      spoken.current = share;
      say(`${percentText(share)} of the run is done.`);
    }
  }, [share, state]);
  const parts = Object.entries(run.fates).filter(([, sum]) => sum.count > 0)
    .map(([name, sum]) => ({ share: run.items > 0 ? sum.count / run.items : 0, tone: TONES[name] ?? 'left' }));
  return html`<section class="run-progress" aria-label="Progress">
    <${Bar} label="Progress of the run" value=${done} max=${run.items} text=${`${countText(done)} of ${countText(run.items)}`} parts=${parts} />
    <div class="run-numbers">
      <span><strong class="number">${countText(done)}</strong> of ${countText(run.items)}, ${percentText(share)}</span>
      ${run.done_money?.length > 0 && html`<span><${Money} of=${run.done_money} most=${Infinity} /> of <${Money} of=${run.money} most=${Infinity} /></span>`}
      <${Phase} run=${run} state=${state} />
      <${Failing} run=${run} />
    </div>
  </section>`;
}

function Phase({ run, state }) {
  const canary = canaryPhase(run);
  if (state === 'running' && canary) {
    return html`<span class="phase">Canary: ${counted(canary.ended, 'payment')} of ${canary.of} ended. ${run.held_by ? `It waits: ${run.held_by}.` : 'The rest follow when all have ended well.'}</span>`;
  }
  const rate = run.rate_now ?? run.rate;
  const words = {
    planned: 'Nothing has moved.', awaits: 'Nothing has moved. Another person has to approve it first.',
    stopped: 'Stopped between two batches. Nothing is half done. Resume it to go on.',
    running: rate ? `Moving, at most ${countText(rate)} a second.` : 'Moving as fast as it goes.',
    finished: 'Everything in the set was dealt with.',
  }[state];
  return words ? html`<span class="phase">${words}</span>` : null;
}

function Failing({ run }) {
  const failed = shareFailed(run);
  if (run.kind !== 'merge' || failed === null) return null;
  const limit = run.abort_above_percent / 100;
  return html`<span class=${failed > limit ? 'critical' : failed > limit / 2 ? 'warning' : ''}>${percentText(failed)} failed again, the limit is ${run.abort_above_percent} %</span>`;
}
