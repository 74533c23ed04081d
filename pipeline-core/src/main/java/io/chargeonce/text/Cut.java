// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.text.BreakIterator;
import java.util.Locale;

/**
 * The one place that shortens text. What is cut off leaves whole characters, as a reader sees them: never half of a surrogate pair, which
 * strict readers of JSON refuse, and no letter without its accent. Lengths are in code points, as Postgres and JSON Schema count them.
 * Pure.
 */
public final class Cut {

    /** More code units than any usual character has; a flag has 4, and a family of emoji 11. */
    private static final int LONGEST_CHARACTER = 64;

    private Cut() {}

    /** At most so many code points, the last of them … if something is cut off. */
    public static String to(int most, String text) {
        if (!isLonger(text, most)) {
            return text;
        }
        return before(text, text.offsetByCodePoints(0, most - 1)) + "…";
    }

    /** What is before this place, without the character that begins before it and ends behind. */
    public static String before(String text, int end) {
        var characters = BreakIterator.getCharacterInstance(Locale.ROOT);
        characters.setText(text.substring(0, Math.min(text.length(), end + LONGEST_CHARACTER)));
        int whole = characters.isBoundary(end) ? end : characters.preceding(end);
        // A letter below a hundred accents is cut within.
        return text.substring(0, end - whole < LONGEST_CHARACTER ? whole : end);
    }

    /** Whether the text has more code points. */
    public static boolean isLonger(String text, int most) {
        return text.length() > most && text.codePointCount(0, text.length()) > most;
    }
}
