// SPDX-License-Identifier: Apache-2.0
/**
 * Is money stuck, how much, where, since when, and what comes next: the first screen, and the witness's numbers.
 * May know the queue and the witness's view.
 */
package io.chargeonce.console.overview;
