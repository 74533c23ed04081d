// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.payment.CardNumbers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides what identifies a person or a card, in text and bytes that are shown or leave this environment: all that ingest
 * takes for a card number, with the CVC, the expiry and the holder's name that came with it. Lengths stay as they were.
 */
public final class Mask {

    /**
     * Tokens of PSPs (card_declined is none), e-mail addresses, runs of digits that could be an account, and the name in a
     * magnetic stripe. None of it is tried again at each character of a run: a record of a million letters would take a million
     * times a million steps.
     */
    private static final Pattern PERSONAL = Pattern.compile(
            "\\b(?:pm|tok|cus|src)_[A-Za-z0-9_]+|\\bcard_[A-Za-z_]*+\\d[A-Za-z0-9_]*"
                    + "|(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}|\\d(?:[ -]?\\d){11,18}"
                    + "|(?<=\\d\\^)[^\\^\r\n]{2,26}(?=\\^)");

    /**
     * The end of a JSON name of what comes with a card number, up to its value. The quotes may be escaped, for JSON within JSON. Not a
     * record's header, which has a name and a value.
     */
    private static final Pattern SECRET_FIELD = Pattern.compile(
            "(?i)(?:cvc|cvv|cvn|csc|(?:security|verification|card)[ _-]?(?:code|value)|holder|name[ _-]?on[ _-]?card|track[ "
                    + "_-]?(?:data|1|2)"
                    + "|\"(?:name(?!\":\"[^\"]{0,200}+\",\"value\")|pin))[A-Z0-9_-]{0,16}+\\\\*+\"\\s*+:\\s*+");

    /** Outside of JSON: cvc=123, CVC: 123, a form's, XML's. */
    private static final Pattern SECRET_WORD = Pattern.compile(
            "(?i)(?:cvc|cvv|cvn|csc|security[ _-]?code)2?\\P{Nd}{1,16}(\\p{Nd}{3,4})(?!\\p{Nd})");

    /** The same of the holder: a form's field, or an element of XML. */
    private static final Pattern SECRET_NAME = Pattern.compile(
            "(?i)(?:holder|name[ _-]?on[ _-]?card)[A-Z_-]{0,16}[=>]([^&<>=\r\n]{1,64})");

    /** A CVC or part of an expiry date, when a card number is near. */
    private static final Pattern FEW_DIGITS = Pattern.compile("(?<!\\p{Nd})\\p{Nd}{2,4}(?!\\p{Nd})");
    private static final int NEAR = 40;

    private Mask() {}

    public static String all(String text) {
        return "*".repeat(text.length());
    }

    public static String personal(String text) {
        var masked = new StringBuilder(text);
        hidden(text).stream().forEach(i -> masked.setCharAt(i, '*'));
        return masked.toString();
    }

    /** Read as UTF-8 wherever they can be; a byte that is none counts as a character, and stays as it is. */
    public static byte[] personal(byte[] bytes) {
        var text = new StringBuilder(bytes.length);
        var places = new int[bytes.length + 1];
        for (int at = 0, next; at < bytes.length; at = next) {
            next = endOfCharacter(bytes, at);
            int before = text.length();
            if (next == at + 1) {
                text.append((char) (bytes[at] & 0xff));
            } else {
                text.append(new String(bytes, at, next - at, StandardCharsets.UTF_8));
            }
            Arrays.fill(places, before, text.length(), at);
        }
        places[text.length()] = bytes.length;
        byte[] masked = bytes.clone();
        hidden(text.toString()).stream().forEach(i -> Arrays.fill(masked, places[i], places[i + 1], (byte) '*'));
        return masked;
    }

    private static int endOfCharacter(byte[] bytes, int at) {
        int lead = bytes[at] & 0xff;
        int end = at + (lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
        for (int i = at + 1; i < end; i++) {
            if (i == bytes.length || (bytes[i] & 0xc0) != 0x80) {
                return at + 1;
            }
        }
        return end;
    }

    private static BitSet hidden(String text) {
        var hidden = new BitSet(text.length());
        PERSONAL.matcher(text).results().forEach(found -> hidden.set(found.start(), found.end()));
        for (Pattern secret : new Pattern[] {SECRET_WORD, SECRET_NAME}) {
            secret.matcher(text).results().forEach(found -> hidden.set(found.start(1), found.end(1)));
        }
        Matcher field = SECRET_FIELD.matcher(text);
        for (int at = 0; field.find(at);) {
            at = hideValue(text, field.end(), hidden);
        }
        for (CardNumbers.Place card : CardNumbers.in(text)) {
            hidden.set(card.from(), card.to());
            Matcher digits = FEW_DIGITS.matcher(text).useTransparentBounds(true)
                    .region(Math.max(0, card.from() - NEAR), Math.min(text.length(), card.to() + NEAR));
            while (digits.find()) {
                hidden.set(digits.start(), digits.end());
            }
        }
        return hidden;
    }

    /** @return where the JSON value that begins at this place ends; one that was cut off ends with the text */
    private static int hideValue(String text, int at, BitSet hidden) {
        int from = at;
        while (from < text.length() && text.charAt(from) == '\\') {
            from++;
        }
        char first = from < text.length() ? text.charAt(from) : ' ';
        int end = switch (first) {
            case '"' -> endOfString(text, from + 1, from > at);
            case '{', '[' -> endOfNested(text, from + 1);
            default -> endOfWord(text, from);
        };
        hidden.set(Math.min(end, first == '"' ? from + 1 : from), end);
        return end;
    }

    /** @param withinString whether its quotes are escaped, for it is in JSON that is in a string */
    private static int endOfString(String text, int at, boolean withinString) {
        int end = at;
        while (end < text.length() && text.charAt(end) != '"' && !(withinString && text.charAt(end) == '\\')) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        return Math.min(end, text.length());
    }

    private static int endOfNested(String text, int at) {
        int depth = 1;
        int end = at;
        while (end < text.length() && depth > 0) {
            char c = text.charAt(end);
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            end++;
        }
        return end;
    }

    private static int endOfWord(String text, int at) {
        int end = at;
        while (end < text.length() && " \t\r\n,}]\"".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return end;
    }
}
