// SPDX-License-Identifier: Apache-2.0
/**
 * How the console says no, and what its JSON has in common.
 * May know the queue, and neither sessions nor routes.
 */
package io.chargeonce.console.answer;
