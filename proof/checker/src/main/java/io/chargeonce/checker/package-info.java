// SPDX-License-Identifier: Apache-2.0
/**
 * Balances the books of a pipeline: re-derives what must have happened to every payment from the client's history, the PSPs'
 * ledgers, the rows and every topic, and tells where they disagree. Shares no class with the services, on purpose: a wrong
 * idea in their code must not be believed here too. Start reading at {@link io.chargeonce.checker.Checker}.
 */
package io.chargeonce.checker;
