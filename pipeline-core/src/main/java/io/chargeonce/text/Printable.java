// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

/** Makes foreign text safe to print: nothing in it can move a cursor, colour a screen, or turn text around. */
public final class Printable {

    private Printable() {}

    public static String of(String foreign) {
        var safe = new StringBuilder(foreign.length());
        foreign.codePoints().forEach(c -> append(safe, c));
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
}
