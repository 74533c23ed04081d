// SPDX-License-Identifier: Apache-2.0
/** Disputes of payments as every PSP's ledger has them. */
package io.chargeonce.sandbox.dispute;
