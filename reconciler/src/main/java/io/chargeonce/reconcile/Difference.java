// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import java.util.Optional;

/**
 * One finding about one attempt or one line.
 *
 * @param key       of the attempt, or as the line names it
 * @param operation what the attempt is about
 * @param currency  empty if it is not known
 * @param expected  what our attempt moved, in minor units
 * @param booked    what was booked, in minor units; taken back counts against it
 * @param where     the line, as {@code line 7} or by its id
 * @param words     what is wrong
 */
public record Difference(Finding finding, Optional<String> key, Optional<String> operation, String currency, long expected, long booked,
        Optional<String> where, String words) {}
