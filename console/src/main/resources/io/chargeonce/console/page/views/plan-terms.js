// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { counted, countText, moneyWords } from '../lib/money.js';
import { willMove } from '../lib/run.js';
import { isLeft, KINDS, whatHappens } from '../lib/words.js';
import { Field, Reason } from '../parts/fields.js';
import { Money } from '../parts/sums.js';

/** The command line's own defaults. */
export const USUAL = { canary: '', rate: '', max_rate: '', abort_above_percent: '10' };

const EXPLAINED = {
  merge: 'A merge puts dead letters back to work. What was charged already is settled by the resolver and never charged again.',
  purge: 'A purge ends dead letters. It can be undone for 30 days. Money that was taken, or may have been, is left.',
  restore: 'A restore puts what was purged back into the queue.',
};

/** How careful the run is to be, and why it is done. */
export function Terms({ kind, expected, standings, evenStopped, terms, set, busy, freeze, close }) {
  const submit = (event) => {
    event.preventDefault();
    if (!busy) freeze();
  };
  const field = (name, label, hint, unit, max) => html`<${Field} label=${label} hint=${hint} unit=${unit} type="number" min=${name === 'canary' || unit === '%' ? 0 : 1}
    max=${max} step="1" value=${terms[name]} set=${(value) => set(name, value)} />`;
  return html`<form onSubmit=${submit}>
    <div class="plan-sum"><span class="number">${countText(expected?.count)}</span> <span>${expected?.count === 1 ? 'dead letter' : 'dead letters'}</span> <${Money} of=${expected?.money} most=${Infinity} /></div>
    <${Left} ...${{ kind, standings, evenStopped }} />
    <p>${EXPLAINED[kind]} Exactly this set is frozen and shown once more before anything moves.</p>
    <${Reason} value=${terms.reason} set=${(value) => set('reason', value)} autofocus />
    ${kind === 'merge' && html`<fieldset><legend>Care</legend><div class="field-row">
      ${field('canary', 'Canary', 'So many go first. The rest follow when these end well. Empty means 5 %, 0 means none.', 'payments')}
      ${field('rate', 'Rate at first', 'It doubles while payments succeed. Empty means no limit.', '/ s')}
      ${field('max_rate', 'Highest rate', 'Empty means no limit.', '/ s')}
      ${field('abort_above_percent', 'Stop when', 'More than this share fail again.', '%', 100)}
    </div></fieldset>`}
    <footer>
      <button type="button" class="plain" onClick=${close}>Not now</button>
      <button type="submit" class="primary" disabled=${!terms.reason.trim()} aria-disabled=${busy ? 'true' : undefined}>${busy ? 'Freezing …' : 'Freeze the set and look'}</button>
    </footer>
  </form>`;
}

/** What of the set the change will not touch, before anything is frozen. */
function Left({ kind, standings = {}, evenStopped }) {
  const present = Object.entries(standings).filter(([, sum]) => sum.count > 0);
  const left = present.filter(([standing]) => isLeft(kind, standing, evenStopped));
  if (left.length === 0) return null;
  const moves = willMove(kind, { standings, even_stopped: evenStopped });
  return html`<p class="notice warning">${countText(moves)} of them ${moves === 1 ? 'is' : 'are'} ${KINDS[kind].done}.
    ${left.map(([standing, sum]) => ` ${countText(sum.count)} ${sum.count === 1 ? 'is' : 'are'} ${whatHappens(kind, standing, evenStopped)}.`).join('')}</p>`;
}

/** What was shown, and what it is now. Nothing was done. */
export function Changed({ before, now, message }) {
  const more = now ? now.count - before.count : 0;
  return html`<div class="notice warning" role="alert">
    <p><strong>The set has changed since you saw it, so nothing was done.</strong></p>
    ${now ? html`<p>You saw ${counted(before.count, 'dead letter')} (${moneyWords(before.money) || 'no money'}). Now there ${now.count === 1 ? 'is' : 'are'} ${countText(now.count)}
        (${moneyWords(now.money) || 'no money'})${more === 0 ? '' : `: ${countText(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'}`}.</p>
        <p>Look at the new numbers below, then freeze again.</p>`
      : html`<p>${message}</p><p>Close this, read the list again, and select again.</p>`}
  </div>`;
}
