// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what a person may have meant by a word with a typing error. */
final class Similar {

    private Similar() {}

    /** The word with the fewest changes from this one; empty if they are more than a third of it. */
    static Optional<String> to(String typed, Collection<String> words) {
        return words.stream().filter(word -> distance(typed, word) <= Math.max(1, typed.length() / 3))
                .min(Comparator.comparingInt((String word) -> distance(typed, word)).thenComparing(Comparator.naturalOrder()));
    }

    /** How many letters have to be added, left out or replaced. */
    private static int distance(String typed, String word) {
        String from = typed.toLowerCase(Locale.ROOT);
        String to = word.toLowerCase(Locale.ROOT);
        var row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[to.length()];
    }
}
