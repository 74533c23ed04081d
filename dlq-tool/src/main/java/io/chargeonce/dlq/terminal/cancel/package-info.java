// SPDX-License-Identifier: Apache-2.0
/**
 * The command that cancels payments.
 * May know run, input, options and screen.
 */
package io.chargeonce.dlq.terminal.cancel;
