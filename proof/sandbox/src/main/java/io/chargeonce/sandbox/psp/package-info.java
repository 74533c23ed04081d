// SPDX-License-Identifier: Apache-2.0
/**
 * What the simulated PSPs have in common: the order in which a request is answered, idempotency keys, scripted faults, the journal
 * and the ledger of money moved. It knows no PSP and no class of the product.
 */
package io.chargeonce.sandbox.psp;
