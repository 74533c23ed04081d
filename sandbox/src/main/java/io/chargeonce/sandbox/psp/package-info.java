// SPDX-License-Identifier: Apache-2.0
/** What the simulated PSPs have in common: idempotency keys, scripted faults, the journal and the ledger of money moved. */
package io.chargeonce.sandbox.psp;
