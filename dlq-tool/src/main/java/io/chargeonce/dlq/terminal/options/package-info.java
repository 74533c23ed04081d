// SPDX-License-Identifier: Apache-2.0
/**
 * Options that several commands share, and who the caller acts as.
 * May know the queue and the screen, no command.
 */
package io.chargeonce.dlq.terminal.options;
