// SPDX-License-Identifier: Apache-2.0
/**
 * The terminal of the queue's commands: keys, JSON, sections and bytes as they are printed.
 * May know the queue's types that it prints, and nothing of the pages.
 */
package io.chargeonce.dlq.terminal.screen;
