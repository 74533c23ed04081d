// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that pause, force and resume. One class a command.
 * May know the command line that they belong to, and what it knows.
 */
package io.chargeonce.dlq.terminal.hold;
