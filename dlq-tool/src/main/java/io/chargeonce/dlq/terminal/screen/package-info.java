// SPDX-License-Identifier: Apache-2.0
/**
 * The terminal itself: width, keys, tables, JSON, words and numbers as they are printed.
 * May know the queue's types that it prints, and nothing of the pages.
 */
package io.chargeonce.dlq.terminal.screen;
