// SPDX-License-Identifier: Apache-2.0
// What a person can do for one payment, from where it stands.
import { absolute, relative } from '../lib/time.js';

const FOR_DEAD = {
  rechargeable: { title: 'It is dead, and safe to charge again', text: 'No attempt took money. A merge puts it back to work; a purge ends it.', actions: ['merge', 'purge'] },
  past_deadline: { title: 'It is dead, and its deadline has passed', text: 'No attempt took money. A merge gives it a new deadline and charges it; a purge ends it.', actions: ['merge', 'purge'] },
  charged: { title: 'It is dead, but its money was taken', text: 'After a merge the resolver settles it with the PSP’s reference, and nothing is charged.', actions: ['merge'] },
  unresolved: { title: 'Its outcome is unknown', text: 'The money may have been taken. The resolver asks the PSP; a merge asks now. It is never charged under another key.', actions: ['merge'] },
  needs_a_person: { title: 'It was merged too often', text: 'It died after each merge. Find out why before it is merged once more, in a terminal and by name.', actions: ['purge'] },
  stopped: { title: 'A person stopped it', text: 'No attempt took money. A merge of this payment charges it; a merge of all leaves it. A purge ends it.', actions: ['merge', 'purge'] },
  poison: { title: 'It is a record that cannot be read', text: 'Edit it in a terminal, then merge it. A purge drops the record.', actions: ['purge'] },
  mended: { title: 'The record was edited', text: 'A merge sends it to its topic again, where it is read as a new record.', actions: ['merge', 'purge'] },
  foreign: { title: 'It is another system’s record', text: 'A merge sends it back to the topic that its headers name, as it is. What becomes of it there is not seen here.', actions: ['merge', 'purge'] },
  no_target: { title: 'It is another system’s record', text: 'Its headers name no topic that it could go back to. A purge drops the record.', actions: ['purge'] },
};

/** @param purged its dead letter, while it can be restored */
export function nextFor(id, moments, { payment, dead, purged, holds }) {
  if (payment?.state === 'canceled') {
    return { tone: 'quiet', title: 'It is canceled', text: 'It was not charged and will not be. If a PSP captures money for it later, that money is given back automatically.' };
  }
  if (payment?.canceling) {
    return { tone: 'accent', title: 'It is to be canceled', text: 'The PSP is queried, and nothing is sent that could still charge it. If the PSP no longer knows the outcome, settle it by hand with evidence.',
      command: `chargeonce dlq settle ${id}` };
  }
  if (dead) {
    const known = FOR_DEAD[dead.standing] ?? FOR_DEAD.rechargeable;
    const command = { needs_a_person: `chargeonce dlq merge ${dead.dead_letter_id} --even-capped`, poison: `chargeonce dlq edit ${dead.dead_letter_id}` }[dead.standing];
    return { tone: 'warning', command, ...known };
  }
  if (purged) {
    return { tone: 'quiet', title: 'It is purged, and can be restored', actions: ['restore'],
      text: `A restore puts it back into the queue, and charges nothing. That is possible until ${absolute(purged.restorable_until)}, ${relative(purged.restorable_until)}.` };
  }
  const last = moments.at(-1);
  if (!last) return { tone: 'quiet', title: 'Nothing is known of it', text: 'No payment, refund or dead letter has this id. Look for another name of it with the search.' };
  if (holds.length > 0) {
    const [{ kind, name, by, reason }] = holds;
    return { tone: 'warning', title: `It waits: ${kind === 'tier' ? 'retry-' : ''}${name} is paused`, text: `${by} paused it: ${reason}. It goes on when that is resumed.`,
      link: { href: '/psps', text: 'Look at what is paused' } };
  }
  const heard = moments.findLast((moment) => moment.what === 'heard');
  if (last.what === 'scheduled' || last.what === 'parked') {
    return { tone: 'accent', title: `It waits in retry-${last.tier}`, text: `It is tried again ${relative(last.due_at)}. Nothing is to be done, unless it should be tried now.`,
      link: { href: `/waiting?tier=${last.tier}`, text: 'Look at what waits there' } };
  }
  if (last.what === 'sent') {
    return { tone: 'accent', title: 'The PSP has not answered yet', text: 'When the lease expires without an answer, the resolver asks the PSP what happened. Nothing is to be done.' };
  }
  if (heard?.outcome === 'unknown' || last.outcome === 'unknown') {
    return { tone: 'warning', title: 'Its outcome is unknown', text: 'The resolver asks the PSP until it answers. If the PSP no longer knows, settle the payment by hand with evidence.',
      command: `chargeonce dlq settle ${id}` };
  }
  if (last.what === 'accepted') return { tone: 'accent', title: 'It is on its way', text: 'It was accepted and has not been tried yet. Nothing is to be done.' };
  if (['charged', 'captured', 'succeeded'].includes(heard?.outcome)) {
    return { tone: 'good', title: 'It is charged', text: 'The PSP took the money once. Nothing is to be done.' };
  }
  if (heard?.outcome === 'declined') return { tone: 'quiet', title: 'It was declined', text: 'A decline is an answer. The payment is settled and is not tried again.' };
  return { tone: 'quiet', title: 'Nothing is to be done', text: 'What happened last stands at the end of the list below.' };
}
