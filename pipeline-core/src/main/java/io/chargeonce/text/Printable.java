// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.util.regex.Pattern;

/** Makes foreign text safe to print: nothing in it can move a cursor, colour a screen, or turn text around. */
public final class Printable {

    /** Unicode's Bidi_Control, for a class of characters in a regular expression. The console's page and the logs have the same. */
    public static final String TURNS = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
    private static final Pattern NOT_IN_A_LINE = Pattern.compile("[\\p{Cntrl}\\p{Cc}\\p{Zl}\\p{Zp}" + TURNS + "]+");

    private Printable() {}

    /** For a mail: controls, separators of lines and what turns text around become spaces. */
    public static String oneLine(String foreign) {
        return NOT_IN_A_LINE.matcher(foreign).replaceAll(" ").strip();
    }

    public static String of(String foreign) {
        var safe = new StringBuilder(foreign.length());
        foreign.codePoints().forEach(c -> append(safe, c));
        return safe.toString();
    }

    /** The same for JSON, which stays JSON: what is harmful stands in strings only, and is written there as JSON writes it. */
    public static String json(String json) {
        var safe = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (isHarmless(c) || c == '\n') {
                safe.appendCodePoint(c);
            } else {
                Character.toString(c).chars().forEach(unit -> safe.append("\\u%04x".formatted(unit)));
            }
        });
        return safe.toString();
    }

    private static void append(StringBuilder safe, int c) {
        switch (c) {
            case '\n' -> safe.append("\\n");
            case '\r' -> safe.append("\\r");
            case '\t' -> safe.append("\\t");
            default -> {
                if (isHarmless(c)) {
                    safe.appendCodePoint(c);
                } else {
                    safe.append(c < 0x100 ? "\\x%02x".formatted(c) : "\\u{%x}".formatted(c));
                }
            }
        }
    }

    private static boolean isHarmless(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
                false;
            default -> true;
        };
    }

    /** Whether it is no letter but an order: a control character, the end of a line, or one of those that turn text around. */
    public static boolean isOrder(int c) {
        return NOT_IN_A_LINE.matcher(Character.toString(c)).matches();
    }
}
