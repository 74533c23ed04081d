// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds digits that can be a card number, in any notation: 12 to 19 decimal digits of any script that start like an issuer's numbers, have
 * a length which that issuer uses, and end with the right check digit (ISO/IEC 7812-1, Luhn).
 *
 * <p>The digits may be run together, stand in groups as on a card, or in groups of any size with the same separator throughout. An expiry
 * date and a CVC may follow without a break. Invisible characters are ignored. Escapes of JSON and HTML, and an escaped space or dash in a
 * URL, are decoded first. Digits of a UUID, a long hexadecimal id or an IBAN are no card number,
 * with what follows or precedes them neither. Pure; any thread.
 */
public final class CardNumbers {

    /**
     * The place of a card number in a text.
     *
     * @param from index of its first character
     * @param to   index after its last character, or after an expiry date and a CVC that follow without a break
     */
    public record Place(int from, int to) {}

    private static final int SHORTEST = 12;

    /**
     * First four digits (from, to), shortest and longest length, for the brands of the PCI council and for national ones. Ranges that would
     * mostly match other numbers are left out: Visa's 13 digits, which no card has any more but an EAN-13 has, and the rarely issued
     * prefixes of Maestro (50, 56 to 69) and RuPay (81, 82).
     */
    private static final int[][] ISSUED = {
        {4000, 4999, 16, 16}, {4000, 4999, 19, 19}, // Visa
        {5100, 5599, 16, 16}, {2221, 2720, 16, 16}, // Mastercard
        {5018, 5020, 12, 19}, {5038, 5038, 12, 19}, {5893, 5893, 12, 19}, {6304, 6304, 12, 19}, // Maestro
        {6759, 6759, 12, 19}, {6761, 6763, 12, 19}, {6703, 6703, 16, 17}, {6700, 6799, 16, 16}, {6700, 6799, 18, 19},
        {3400, 3499, 15, 15}, {3700, 3799, 15, 15}, // American Express
        {6011, 6011, 16, 16}, {6440, 6599, 16, 16}, {6011, 6011, 19, 19}, {6440, 6599, 19, 19}, // Discover
        {3000, 3059, 14, 14}, {3095, 3095, 14, 14}, {3600, 3699, 14, 14}, {3800, 3999, 14, 14}, // Diners Club
        {3000, 3059, 16, 16}, {3095, 3095, 16, 16}, {3600, 3699, 16, 16}, {3800, 3999, 16, 16},
        {3528, 3589, 16, 16}, {3528, 3589, 19, 19}, // JCB
        {6200, 6299, 16, 19}, {8100, 8171, 16, 19}, // UnionPay
        {2200, 2204, 16, 16}, {9792, 9792, 16, 16}, {5060, 5061, 16, 16}, // Mir, Troy, Verve
        {5085, 5089, 16, 16}, {6069, 6085, 16, 16}, // RuPay
        {5041, 5041, 16, 16}, {5066, 5067, 16, 16}, {5090, 5099, 16, 16}, {6362, 6363, 16, 16}, {6062, 6062, 16, 16}}; // Elo, Hipercard

    /** The same, indexed by the first four digits: bit n stands for numbers of 12 + n digits. */
    private static final byte[] LENGTHS = new byte[10_000];

    static {
        for (int[] issued : ISSUED) {
            for (int prefix = issued[0]; prefix <= issued[1]; prefix++) {
                for (int length = issued[2]; length <= issued[3]; length++) {
                    LENGTHS[prefix] |= (byte) (1 << length - SHORTEST);
                }
            }
        }
    }

    /** Where groups begin on cards: 4-4-4-4 (other lengths likewise, and some gaps may be missing), 4-6-5 and 4-6-4. */
    private static final int FOURS = 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16;
    private static final int FOUR_AND_SIX = 1 << 4 | 1 << 10;
    /** Visible characters between two digits of one number: "4242 - 4242" has three. */
    private static final int LONGEST_GAP = 8;
    /** Digits of an expiry date and a CVC: MMYYYY and four digits. */
    private static final int LONGEST_REST = 10;
    private static final int FIRST_YEAR = 20;
    private static final int LAST_YEAR = 59;
    /** Characters of an HTML entity between & and ;. */
    private static final int LONGEST_ENTITY = 9;
    private static final Set<String> SEPARATORS_OF_HTML = Set.of("nbsp", "ensp", "emsp", "thinsp", "hairsp", "numsp", "ndash", "mdash",
            "minus", "hyphen", "dash", "middot", "bull", "shy", "zwnj", "zwj", "amp");
    private static final int NO_BREAK_SPACE = 0xa0;
    private static final char JOINED = 0;
    private static final int NONE = -1;

    /** The kinds of characters that are not digits. */
    private static final int LETTER = -1;
    private static final int SEPARATOR = -2;
    private static final int INVISIBLE = -3;
    private static final byte[] ASCII = new byte[128];

    static {
        for (int c = 0; c < ASCII.length; c++) {
            ASCII[c] = (byte) (Character.isDigit(c) ? c - '0' : Character.isLetter(c) ? LETTER
                    : Character.isISOControl(c) && !Character.isWhitespace(c) ? INVISIBLE : SEPARATOR);
        }
    }

    private final String text;
    private final boolean one;
    private final List<Place> found = new ArrayList<>(1);
    /** The digits since the last letter: each one's value, its place, and the separator before it, if any. */
    private final byte[] digits;
    private final int[] from;
    private final int[] to;
    private final char[] gaps;
    private int count;
    /** Where the last decoded escape ends. */
    private int behind;

    /** @param one whether the first match is enough */
    private CardNumbers(String text, boolean one) {
        this.text = text;
        this.one = one;
        this.digits = new byte[text.length()];
        this.from = new int[text.length()];
        this.to = new int[text.length()];
        this.gaps = new char[text.length()];
    }

    /**
     * Whether the text contains a card number. Most texts have fewer than 12 digits between two letters; they cost one check per character.
     */
    public static boolean isIn(String text) {
        return mayBeIn(text) && !new CardNumbers(text, true).find().isEmpty();
    }

    /** All card numbers in the text, from left to right. */
    public static List<Place> in(String text) {
        return mayBeIn(text) ? new CardNumbers(text, false).find() : List.of();
    }

    /** The text with # in place of each card number: for text from a PSP or a record that is stored, logged or shown. */
    public static String hiddenIn(String text) {
        List<Place> found = in(text);
        if (found.isEmpty()) {
            return text;
        }
        var clean = new StringBuilder(text);
        found.reversed().forEach(card -> clean.replace(card.from, card.to, "#"));
        return clean.toString();
    }

    private static boolean mayBeIn(String text) {
        int digits = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int meaning = c < ASCII.length ? ASCII[c] : Character.isSurrogate(c) ? 0 : meaningBeyondAscii(c);
            if (meaning == LETTER) {
                digits = 0;
            } else if (meaning >= 0 && ++digits == SHORTEST || c == '\\' || c == '%' || c == '&') {
                return true;
            }
        }
        return false;
    }

    /** The value of a digit in any script, or the kind of another character. */
    private static int meaning(int c) {
        return c < ASCII.length ? ASCII[c] : meaningBeyondAscii(c);
    }

    private static int meaningBeyondAscii(int c) {
        return switch (Character.getType(c)) {
            case Character.DECIMAL_DIGIT_NUMBER -> Character.digit(c, 10);
            case Character.OTHER_NUMBER -> superscriptOrCircled(c);
            case Character.UPPERCASE_LETTER, Character.LOWERCASE_LETTER, Character.TITLECASE_LETTER, Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER ->
                isFiller(c) ? INVISIBLE : LETTER;
            case Character.FORMAT, Character.CONTROL, Character.NON_SPACING_MARK, Character.ENCLOSING_MARK,
                    Character.COMBINING_SPACING_MARK ->
                INVISIBLE;
            default -> SEPARATOR;
        };
    }

    @SuppressWarnings("CharacterGetNumericValue") // Numbers in other scripts and in circles are what is looked for.
    private static int superscriptOrCircled(int c) {
        int value = Character.getNumericValue(c);
        return value >= 0 && value <= 9 ? value : SEPARATOR;
    }

    /** Hangul's empty syllables: letters that are invisible. */
    private static boolean isFiller(int c) {
        return c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0;
    }

    private List<Place> find() {
        char separator = JOINED;
        int gap = 0;
        for (int at = 0, next; at < text.length() && !(one && !found.isEmpty()); at = next) {
            int escaped = escaped(at);
            int c = escaped == NONE ? text.codePointAt(at) : escaped;
            next = escaped == NONE ? at + Character.charCount(c) : behind;
            int meaning = meaning(c);
            if (meaning == SEPARATOR) {
                gap++;
                separator = separator == JOINED || separator == ' ' ? separator(c) : separator;
            }
            if (meaning == LETTER || gap > LONGEST_GAP) {
                search();
            }
            if (meaning >= 0) {
                add(meaning, at, next, separator);
                separator = JOINED;
                gap = 0;
            }
        }
        search();
        return found;
    }

    private static char separator(int c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) ? ' ' : (char) c;
    }

    /** The character that the escape at this place stands for; sets {@link #behind} to its end. */
    private int escaped(int at) {
        return switch (text.charAt(at)) {
            case '\\' -> ofJson(at + 1);
            case '%' -> ofUrl(at + 1);
            case '&' -> ofHtml(at + 1);
            default -> NONE;
        };
    }

    private int ofJson(int at) {
        behind = at + 1;
        return switch (at < text.length() ? text.charAt(at) : ' ') {
            case 'n', 'r', 't' -> ' ';
            case 'u' -> number(at + 1, at + 5, 16);
            default -> NONE;
        };
    }

    /** Decodes separators only, because a card number may follow a percent sign. The no-break space has two bytes. */
    private int ofUrl(int at) {
        int value = number(at, at + 2, 16);
        return switch (value) {
            case '\t', '\n', '\r', ' ', '-' -> value;
            case 0xa0, 0xc2 -> NO_BREAK_SPACE;
            default -> NONE;
        };
    }

    private int ofHtml(int at) {
        int end = text.indexOf(';', at, Math.min(text.length(), at + LONGEST_ENTITY));
        if (end <= at) {
            return NONE;
        }
        if (text.charAt(at) == '#') {
            boolean hex = Character.toLowerCase(text.charAt(at + 1)) == 'x';
            int value = number(at + (hex ? 2 : 1), end, hex ? 16 : 10);
            behind = end + 1;
            return Character.isValidCodePoint(value) ? value : NONE;
        }
        behind = end + 1;
        return SEPARATORS_OF_HTML.contains(text.substring(at, end)) ? ' ' : NONE;
    }

    private int number(int from, int end, int radix) {
        int value = from < end && end <= text.length() ? 0 : NONE;
        for (int i = from; i < end && value != NONE; i++) {
            int digit = Character.digit(text.charAt(i), radix);
            value = digit < 0 ? NONE : value * radix + digit;
        }
        behind = end;
        return value;
    }

    private void add(int digit, int at, int next, char separator) {
        digits[count] = (byte) digit;
        from[count] = at;
        to[count] = next;
        gaps[count] = count == 0 ? JOINED : separator;
        count++;
    }

    /** Searches the digits since the last letter, then drops them. A number starts where a group starts. */
    private void search() {
        for (int start = 0; start + SHORTEST <= count; start++) {
            if (start == 0 || gaps[start] != JOINED) {
                int end = endOfNumber(start);
                if (end != NONE) {
                    found.add(new Place(from[start], to[end - 1]));
                    start = end - 1;
                }
            }
        }
        count = 0;
    }

    private int endOfNumber(int start) {
        int lengths = LENGTHS[digits[start] * 1000 + digits[start + 1] * 100 + digits[start + 2] * 10 + digits[start + 3]] & 0xff;
        for (int length = SHORTEST; lengths != 0 && start + length <= count; length++, lengths >>= 1) {
            int end = (lengths & 1) == 0 ? NONE : endOfGroups(start, start + length);
            if (end != NONE && checkDigitFits(start, start + length) && !OtherNumbers.touch(text, from[start], to[start + length - 1])) {
                return end;
            }
        }
        return NONE;
    }

    /** Where the groups of a number end; {@link #NONE} if no number is written like this. */
    private int endOfGroups(int start, int end) {
        int breaks = 0;
        char separator = JOINED;
        boolean same = true;
        for (int i = start + 1; i < end; i++) {
            if (gaps[i] != JOINED) {
                breaks |= 1 << i - start;
                same &= separator == JOINED || separator == gaps[i];
                separator = gaps[i];
            }
        }
        if (isCustomary(breaks, end - start)) {
            return endOfRest(end, JOINED);
        }
        return same && gaps[start] != separator ? endOfRest(end, separator) : NONE;
    }

    private static boolean isCustomary(int breaks, int length) {
        return (breaks & ~FOURS) == 0 || breaks == FOUR_AND_SIX && (length == 14 || length == 15);
    }

    /**
     * Digits that follow with no other separator must be an expiry date, alone or with a CVC. Otherwise the digits are part of something
     * longer.
     */
    private int endOfRest(int end, char separator) {
        int rest = end;
        while (rest < count && rest - end <= LONGEST_REST && (gaps[rest] == JOINED || gaps[rest] == separator)) {
            rest++;
        }
        return rest == end || isExpiry(end, rest - end) ? rest : NONE;
    }

    private boolean isExpiry(int at, int length) {
        boolean shortYear = length == 4 || length == 7 || length == 8;
        boolean longYear = length == 6 || length == 9 || length == 10;
        if (!shortYear && !longYear || two(at) < 1 || two(at) > 12 || longYear && two(at + 2) != 20) {
            return false;
        }
        int year = two(longYear ? at + 4 : at + 2);
        return year >= FIRST_YEAR && year <= LAST_YEAR;
    }

    private int two(int at) {
        return digits[at] * 10 + digits[at + 1];
    }

    private boolean checkDigitFits(int start, int end) {
        int sum = 0;
        for (int i = end - 1, weight = 1; i >= start; i--, weight = 3 - weight) {
            int weighed = digits[i] * weight;
            sum += weighed / 10 + weighed % 10;
        }
        return sum % 10 == 0;
    }
}
