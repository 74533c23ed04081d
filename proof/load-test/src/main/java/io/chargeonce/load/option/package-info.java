// SPDX-License-Identifier: Apache-2.0
/**
 * What the options of several commands are read with: durations, addresses, ranges of numbers.
 * Knows no command.
 */
package io.chargeonce.load.option;
