// SPDX-License-Identifier: Apache-2.0
/**
 * How lists, runs, payments and changes are printed, one class a page, as text or JSON.
 * May know the queue and the screen, no command.
 */
package io.chargeonce.dlq.terminal.page;
