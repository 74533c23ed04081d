// SPDX-License-Identifier: Apache-2.0
/**
 * Runs that people plan, start and watch in the console; led by the commands' own classes.
 * May know sessions and the console's answers.
 */
package io.chargeonce.console.runs;
