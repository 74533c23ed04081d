package io.chargeonce.dlq;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Hides what identifies a person or a card, in text and bytes that are shown or leave this environment. Lengths stay as they were. */
public final class Mask {

    /**
     * Tokens of PSPs (card_declined is none), e-mail addresses, and runs of digits that could be a card or an account. Nothing
     * of it is tried at each character of a run anew: a record of a million letters would take a million times a million steps.
     */
    private static final Pattern PERSONAL = Pattern.compile(
            "\\b(?:pm|tok|cus|src)_[A-Za-z0-9_]+|\\bcard_[A-Za-z_]*+\\d[A-Za-z0-9_]*"
                    + "|(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}|\\d(?:[ -]?\\d){11,18}");

    private Mask() {}

    static String all(String text) {
        return "*".repeat(text.length());
    }

    public static String personal(String text) {
        return PERSONAL.matcher(text).replaceAll(found -> all(found.group()));
    }

    /** Bytes that are no text stay as they are. */
    static byte[] personal(byte[] bytes) {
        return personal(new String(bytes, StandardCharsets.ISO_8859_1)).getBytes(StandardCharsets.ISO_8859_1);
    }
}
