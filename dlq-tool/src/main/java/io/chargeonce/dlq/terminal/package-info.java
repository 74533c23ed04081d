// SPDX-License-Identifier: Apache-2.0
/**
 * The commands of the dead-letter queue: what each takes, asks and does. One class a command.
 * May know everything of the queue; options, page and screen below know no command.
 */
package io.chargeonce.dlq.terminal;
