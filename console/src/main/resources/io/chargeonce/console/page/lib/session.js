// SPDX-License-Identifier: Apache-2.0
// Who is signed in. state: asking, out, in. The rights are the database's; here they only decide what is offered.
import { store } from './store.js';

export const session = store({ state: 'asking' });

export function signedIn(person) {
  session.set({ state: 'in', person });
}

export function may(right) {
  return session.get().person?.rights?.includes(right) ?? false;
}

const WHO_MAY = {
  operate: 'Your login may only read. Sign in as an operator to do this.',
  approve: 'Your login may not approve. Ask an operator who has a login of their own.',
  unmask: 'Your login may not see personal data. Sign in with a login that has chargeonce_dlq_unmask.',
};

/** Empty if the person may, else the reason for a disabled action. */
export function whyNot(right) {
  return may(right) ? '' : WHO_MAY[right];
}
