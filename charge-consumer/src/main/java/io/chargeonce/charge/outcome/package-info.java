// SPDX-License-Identifier: Apache-2.0
/** What is written when an outcome becomes known: the new state, the events, reversals of money that came too late, incidents. */
package io.chargeonce.charge.outcome;
