// SPDX-License-Identifier: Apache-2.0
/** The command of reconciliation, its settings and what it prints. Knows reconciliation, and no table. */
package io.chargeonce.reconcile.terminal;
