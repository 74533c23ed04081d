// SPDX-License-Identifier: Apache-2.0
/** Writes what follows when an outcome becomes known: the new state, the events, reversals of late money, incidents. */
package io.chargeonce.charge.outcome;
