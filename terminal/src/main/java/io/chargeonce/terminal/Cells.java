// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import io.chargeonce.text.Cut;
import org.jline.utils.WCWidth;

/** Text measured in the cells of a terminal: a Chinese character or an emoji takes two, an accent none. Pure. */
public final class Cells {

    private Cells() {}

    public static int of(String text) {
        return text.codePoints().map(Cells::width).sum();
    }

    /** At most so many cells, the last of them … if something is cut off. */
    public static String cut(String text, int cells) {
        if (of(text) <= cells) {
            return text;
        }
        int used = 0;
        int end = 0;
        while (used + width(text.codePointAt(end)) < cells) {
            used += width(text.codePointAt(end));
            end = text.offsetByCodePoints(end, 1);
        }
        return Cut.before(text, end) + "…";
    }

    private static int width(int c) {
        return Math.max(0, WCWidth.wcwidth(c));
    }
}
