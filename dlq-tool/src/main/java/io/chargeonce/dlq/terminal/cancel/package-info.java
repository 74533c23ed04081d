// SPDX-License-Identifier: Apache-2.0
/**
 * The command that cancels payments.
 * May know purge, options and screen.
 */
package io.chargeonce.dlq.terminal.cancel;
