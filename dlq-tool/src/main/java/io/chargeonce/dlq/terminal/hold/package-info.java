// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that pause, force and resume. One class a command.
 * May know holds, options, page and screen.
 */
package io.chargeonce.dlq.terminal.hold;
