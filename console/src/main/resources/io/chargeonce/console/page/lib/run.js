// SPDX-License-Identifier: Apache-2.0
// What a run's document says of its progress.
import { isLeft } from './words.js';

const countIn = (sums) => Object.values(sums).reduce((all, sum) => all + sum.count, 0);

/** How many of its set the run has dealt with, whatever came out. */
export function dealtWith(run) {
  return countIn(run.fates);
}

export function shareDone(run) {
  return run.items > 0 ? Math.min(1, dealtWith(run) / run.items) : run.state === 'finished' ? 1 : 0;
}

/** How many the run will move, by what they were when the set was frozen. */
export function willMove(kind, run) {
  return Object.entries(run.standings).reduce((all, [standing, sum]) => all + (isLeft(kind, standing, run.even_stopped) ? 0 : sum.count), 0);
}

/** The first few go alone, and the rest only when these have ended well. Null when there is no such phase now. */
export function canaryPhase(run) {
  if (run.kind !== 'merge' || !run.canary || run.items <= run.canary) return null;
  if (run.state !== 'running' && run.state !== 'aborted') return null;
  const { entered, succeeded, declined, failed_again: failed } = run.outcomes;
  if (entered.count > run.canary) return null;
  return { of: run.canary, entered: entered.count, ended: succeeded.count + declined.count + failed.count };
}

/** The share of what came back that failed again: what the abort limit is compared with. */
export function shareFailed(run) {
  const { succeeded, declined, failed_again: failed } = run.outcomes;
  const ended = succeeded.count + declined.count + failed.count;
  return ended === 0 ? null : failed.count / ended;
}

/**
 * What was heard since the document was asked for takes its place as a whole: what is not in it is so no more. If it is older than the
 * document, the stream tells what has changed at its next look; a document that is old would stay.
 */
export const newest = (document, askedAt, heard) => (heard && heard.at >= askedAt ? heard.run : document);

export const isOver = (run) => run.state === 'finished' || run.state === 'cancelled';
