// SPDX-License-Identifier: Apache-2.0
/** What the settlement reports of simulated PSPs say: the truth of their ledgers, or what a test makes of it. */
package io.chargeonce.sandbox.booking;
