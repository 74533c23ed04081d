// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Recognises ids whose digits look like a card number by chance, while the whole id shows that they are not. Pure; any thread. */
final class OtherNumbers {

    private static final int UUID_LENGTH = 36;
    /** Object ids have 24 hexadecimal digits; digests and trace ids have more. */
    private static final int SHORTEST_HEX = 24;
    private static final int LONGEST_HEX = 128;
    /**
     * On average nearly four in ten characters are letters. With a run of digits as long as a card number, hardly ever fewer than one in
     * ten.
     */
    private static final int FEWEST_LETTERS = 3;
    /** Countries in the registry of ISO 13616, with the length of their IBANs. Any other letters before a card number are a word. */
    private static final Map<String, Integer> IBANS = Stream.of("""
            AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 \
            FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 \
            LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 \
            SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30""".split(" "))
            .collect(Collectors.toMap(one -> one.substring(0, 2), one -> Integer.valueOf(one.substring(2))));
    private static final String CREDITOR_REFERENCE = "RF";
    private static final int SHORTEST_REFERENCE = 15;
    private static final int LONGEST_REFERENCE = 25;
    private static final int LONGEST_IBAN = 34;
    /** Including the spaces between its groups of four. */
    private static final int LONGEST_IBAN_WRITTEN = 42;

    private OtherNumbers() {}

    /**
     * Whether such an id takes up any of the characters from {@code from} to before {@code to}: {@code UUID-17} continues the digits that
     * end the UUID, and is no card number either.
     */
    static boolean touch(String text, int from, int to) {
        return isHexId(text, from) || isHexId(text, to - 1) || isInUuid(text, from, to) || isInIban(text, from);
    }

    /** Whether the character at {@code at} belongs to a long hexadecimal id. */
    private static boolean isHexId(String text, int at) {
        int start = at;
        while (start > 0 && at - start < LONGEST_HEX && isHex(text.charAt(start - 1))) {
            start--;
        }
        int letters = 0;
        int end = start;
        while (end < text.length() && end - start < 2 * LONGEST_HEX && isHex(text.charAt(end))) {
            letters += text.charAt(end) >= 'A' ? 1 : 0;
            end++;
        }
        return end - start >= SHORTEST_HEX && letters >= FEWEST_LETTERS && letters * 10 >= end - start;
    }

    private static boolean isInUuid(String text, int from, int to) {
        for (int at = Math.max(0, from - UUID_LENGTH + 1); at < to && at + UUID_LENGTH <= text.length(); at++) {
            if (isUuid(text, at)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isUuid(String text, int at) {
        boolean letters = false;
        for (int i = 0; i < UUID_LENGTH; i++) {
            char c = text.charAt(at + i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : !isHex(c)) {
                return false;
            }
            letters |= c >= 'A';
        }
        return letters;
    }

    private static boolean isInIban(String text, int from) {
        for (int at = Math.max(0, from - LONGEST_IBAN_WRITTEN); at + 2 <= from; at++) {
            if ((at == 0 || !isLetterOrDigit(text.charAt(at - 1))) && isIbanHead(text, at) && isIban(text, at, from)) {
                return true;
            }
        }
        return false;
    }

    /** Two letters and two check digits. Digits follow in any case, because a number was found there. */
    private static boolean isIbanHead(String text, int at) {
        return isLetter(text.charAt(at)) && isLetter(text.charAt(at + 1)) && isDigit(text.charAt(at + 2)) && isDigit(text.charAt(at + 3));
    }

    /** Whether an IBAN (ISO 13616) or a creditor reference (ISO 11649) begins at {@code at} and ends after {@code from}. */
    private static boolean isIban(String text, int at, int from) {
        String country = text.substring(at, at + 2).toUpperCase(Locale.ROOT);
        int head = 0;
        int remainder = 0;
        int length = 0;
        for (int i = at; i < text.length() && length < LONGEST_IBAN; i++) {
            char c = text.charAt(i);
            if (c == ' ') {
                continue;
            }
            if (!isLetterOrDigit(c)) {
                return false;
            }
            int value = Character.digit(c, 36);
            int shift = value > 9 ? 100 : 10;
            head = length < 4 ? head * shift + value : head;
            remainder = length < 4 ? 0 : (remainder * shift + value) % 97;
            length++;
            boolean ends = i + 1 == text.length() || !isLetterOrDigit(text.charAt(i + 1));
            if (ends && i >= from && fits(country, length) && (remainder * 1_000_000L + head) % 97 == 1) {
                return true;
            }
        }
        return false;
    }

    private static boolean fits(String country, int length) {
        return country.equals(CREDITOR_REFERENCE) ? length >= SHORTEST_REFERENCE && length <= LONGEST_REFERENCE
                : IBANS.getOrDefault(country, 0) == length;
    }

    private static boolean isHex(char c) {
        return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    private static boolean isLetterOrDigit(char c) {
        return isDigit(c) || isLetter(c);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }
}
