// SPDX-License-Identifier: Apache-2.0
/** The rows that decide about money, and the only code that changes them. Every method runs inside its caller's transaction. */
package io.chargeonce.ledger;
