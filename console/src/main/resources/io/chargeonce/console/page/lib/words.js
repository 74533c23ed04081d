// SPDX-License-Identifier: Apache-2.0
// The words for states and results; the same as the command line's.

export const STANDINGS = {
  rechargeable: { is: 'rechargeable', why: 'No attempt took money, so another one is safe.' },
  past_deadline: { is: 'past its deadline', why: 'No attempt took money, but its time to be charged has passed. A merge gives it a new deadline.' },
  needs_a_person: { is: 'merged too often', why: 'It was merged too often already and died each time. A merge takes it only when a person names it with --even-capped.' },
  stopped: { is: 'stopped by a person', why: 'A person stopped it on purpose. A merge takes it only by its id or by the cause stopped.' },
  charged: { is: 'already charged', why: 'The money was taken already. After a merge the resolver settles it, and nothing is charged.' },
  unresolved: { is: 'unresolved', why: 'The money may have been taken. The PSP is asked before anything else.' },
  poison: { is: 'poison', why: 'A record that never became a payment. Edit it in a terminal before it can be merged.' },
  mended: { is: 'mended poison', why: 'The record was edited. A merge sends it to its topic again.' },
  foreign: { is: 'another system’s', why: 'A record of another system. A merge sends it back to the topic that its headers name.' },
  no_target: { is: 'names no topic', why: 'A record of another system, whose headers name no topic that it could go back to.' },
};

const BY_MERGE = {
  rechargeable: 'tried again; nothing was charged', past_deadline: 'tried again, late; nothing was charged', needs_a_person: 'left: needs a person',
  stopped: 'left: a person stopped it', charged: 'settled, not charged again', unresolved: 'queried, not charged', poison: 'left: needs editing', mended: 'sent again',
  foreign: 'sent back to its topic', no_target: 'left: its headers name no topic',
};
const BY_PURGE = {
  rechargeable: 'purged', past_deadline: 'purged', needs_a_person: 'purged', stopped: 'purged', charged: 'left: the money was taken',
  unresolved: 'left: the money may have been taken', poison: 'purged: the record only', mended: 'purged: the record only',
  foreign: 'purged: the record only', no_target: 'purged: the record only',
};

/** What a change does with dead letters of this standing. */
export function whatHappens(kind, standing, evenStopped) {
  if (kind === 'restore') return 'back in the queue';
  if (kind === 'merge' && standing === 'stopped' && evenStopped) return BY_MERGE.rechargeable;
  return (kind === 'purge' ? BY_PURGE : BY_MERGE)[standing] ?? '';
}

export function isLeft(kind, standing, evenStopped) {
  return whatHappens(kind, standing, evenStopped).startsWith('left');
}

export const RESULTS = {
  reentered: 're-entered the pipeline', asked: 'with the resolver; listed until settled',
  resent: 'sent to its topic again', purged: 'purged', restored: 'back in the queue', retried: 'staged to be tried now', stopped: 'stopped: in the queue', refused: 'refused, left as it was',
  closed: 'left: no data key opens it', no_topic: 'left: its topic does not exist, or you may not see it', too_large: 'left: larger than its topic takes', gone: 'left: moved, tried or ended meanwhile',
};

export const OUTCOMES = {
  succeeded: 'succeeded', declined: 'declined', failed_again: 'failed again', unresolved: 'unresolved', open: 'on their way',
};

/** Of those about which the PSP was asked. */
export const ASKED = {
  succeeded: 'succeeded', declined: 'declined', not_charged: 'not charged, dead', open: 'not known yet',
};

export const RUN_STATES = {
  planned: { is: 'planned', tone: 'quiet' },
  running: { is: 'running', tone: 'accent' },
  stopped: { is: 'stopped', tone: 'warning' },
  finished: { is: 'finished', tone: 'good' },
  aborted: { is: 'aborted', tone: 'critical' },
  cancelled: { is: 'cancelled', tone: 'quiet' },
  awaits: { is: 'awaits approval', tone: 'warning' },
};

/** A run without a leader was stopped or killed, and waits to be resumed. */
export function runState(run) {
  if (run.awaits_approval) return 'awaits';
  if (run.state === 'running' && !run.leader) return 'stopped';
  return run.state;
}

export const PSP_STATES = {
  well: { is: 'well', tone: 'good' },
  unwell: { is: 'unwell', tone: 'critical' },
  held: { is: 'paused', tone: 'warning' },
  forced: { is: 'forced', tone: 'warning' },
  absent: { is: 'not set up', tone: 'critical' },
};

export const KINDS = {
  merge: { does: 'Merge', doing: 'Merging', done: 'merged' },
  purge: { does: 'Purge', doing: 'Purging', done: 'purged' },
  restore: { does: 'Restore', doing: 'Restoring', done: 'restored' },
  retry_now: { does: 'Retry now', doing: 'Retrying', done: 'retried' },
  stop: { does: 'Stop', doing: 'Stopping', done: 'stopped' },
  settle: { does: 'Settle by hand', doing: 'Settling', done: 'settled' },
};

/** gateway_timed_out → gateway timed out. */
export function plain(tag) {
  return String(tag ?? '').replaceAll('_', ' ');
}
