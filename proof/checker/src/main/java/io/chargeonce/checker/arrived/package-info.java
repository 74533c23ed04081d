// SPDX-License-Identifier: Apache-2.0
/**
 * Compares what came to merchants' receivers and to customers' mailboxes with the rows. Knows the evidence and the findings, and nothing of
 * how payments are compared.
 */
package io.chargeonce.checker.arrived;
