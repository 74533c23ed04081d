// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { counted, countText } from '../lib/money.js';
import { willMove } from '../lib/run.js';
import { isLeft, KINDS, plain, STANDINGS, whatHappens } from '../lib/words.js';
import { Command } from '../parts/command.js';
import { Money } from '../parts/sums.js';

/** The frozen set: how many of which standing, what would happen to each, and what the database warns of. */
export function Frozen({ kind, run, busy, start, drop, leave }) {
  const moves = willMove(kind, run);
  const id = run.run;
  return html`<div class="frozen">
    <p>Frozen as <a href=${`/runs/${id}`}>${id}</a>. Nothing has moved yet.
      Fingerprint <code>${run.fingerprint}</code></p>
    <${Standings} kind=${kind} standings=${run.standings} evenStopped=${run.even_stopped} />
    ${kind === 'merge' && Object.keys(run.targets ?? {}).length > 0 && html`<p>Other systems’ records:
      ${Object.entries(run.targets).map(([topic, count]) => `to ${topic} ${countText(count)}`).join(' · ')}</p>`}
    ${run.warnings?.length > 0 && html`<ul class="notice warning">${run.warnings.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}
    <${Care} run=${run} />
    ${moves === 0 && html`<p class="notice warning">None of it can be ${KINDS[kind].done}, so a start would change nothing.</p>`}
    ${run.needs_approval && html`<div class="notice accent">
      <p><strong>It is more than you may do alone within 24 hours.</strong> Another person has to approve it first: send them the address of the run, or this command.</p>
      <${Command} text=${`chargeonce dlq approve ${id}`} />
    </div>`}
    <footer>
      <button type="button" class="plain" onClick=${drop} aria-disabled=${busy ? 'true' : undefined}>Drop it</button>
      ${run.needs_approval
        ? html`<button type="button" class="primary" onClick=${leave}>Go to the run</button>`
        : html`<button type="button" class=${kind === 'purge' ? 'danger' : 'primary'} disabled=${moves === 0} autofocus
            onClick=${busy ? undefined : start}>${busy === 'start' ? 'Starting …' : `${KINDS[kind].does} ${counted(moves, 'dead letter')}`}</button>`}
    </footer>
  </div>`;
}

export function Standings({ kind, standings, evenStopped }) {
  const present = Object.entries(standings).filter(([, sum]) => sum.count > 0);
  if (present.length === 0) return html`<p class="nothing">${['retry_now', 'stop'].includes(kind) ? 'What waited in the tiers when it was shown.' : 'The set is empty.'}</p>`;
  return html`<table role="table" class="standings">
    <caption class="for-readers">What is in the set, and what happens to it</caption>
    <thead role="rowgroup"><tr role="row">
      <th role="columnheader" scope="col">Standing</th><th role="columnheader" scope="col" class="number">Count</th>
      <th role="columnheader" scope="col" class="number">Money</th><th role="columnheader" scope="col">What happens</th>
    </tr></thead>
    <tbody role="rowgroup">${present.map(([standing, sum]) => html`<tr role="row" key=${standing} title=${STANDINGS[standing]?.why}>
      <td role="cell" data-label="Standing">${STANDINGS[standing]?.is ?? plain(standing)}</td>
      <td role="cell" data-label="Count" class="number">${countText(sum.count)}</td>
      <td role="cell" data-label="Money" class="number"><${Money} of=${sum.money} most=${Infinity} /></td>
      <td role="cell" data-label="What happens" class=${isLeft(kind, standing, evenStopped) ? 'warning' : ''}>${whatHappens(kind, standing, evenStopped)}</td>
    </tr>`)}</tbody>
  </table>`;
}

/** How careful the run is, in one sentence. */
export function Care({ run }) {
  const parts = run.kind !== 'merge' ? [
    run.canary > 0 && run.canary < run.items ? `${counted(run.canary, 'item')} first, and the rest when a person has resumed it.` : 'There is no canary.',
    run.rate ? `It goes at ${countText(run.rate)} a second.` : 'It goes as fast as it can.',
  ] : [
    run.canary >= run.items ? 'They are not more than the canary, so all go at once.'
      : run.canary > 0 ? `${counted(run.canary, 'payment')} first, and the rest when that has ended well.` : 'There is no canary.',
    run.rate ? `It begins with ${countText(run.rate)} a second${run.max_rate ? ` and goes up to ${countText(run.max_rate)}` : ''}.`
      : run.max_rate ? `It goes up to ${countText(run.max_rate)} a second.` : 'It goes as fast as it can.',
    `It stops by itself when more than ${run.abort_above_percent} % fail again.`,
  ];
  return html`<p class="care">${parts.join(' ')}</p>`;
}
