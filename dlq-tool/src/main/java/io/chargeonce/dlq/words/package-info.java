// SPDX-License-Identifier: Apache-2.0
/**
 * The words for what is in the queue and for what a change does to it: the same at the terminal and on the console's page.
 * May know what the words are about, and neither of the two.
 */
package io.chargeonce.dlq.words;
