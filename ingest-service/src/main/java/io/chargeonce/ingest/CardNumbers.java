package io.chargeonce.ingest;

/**
 * Finds what could be a card number: 13 to 19 digits, run together or in groups as cards have them, set apart by
 * spaces or dashes, whose check digit is right (Luhn, ISO/IEC 7812-1). One in ten other numbers of that length and form is
 * taken for one; storing a real card number once is worse.
 */
final class CardNumbers {

    private static final int SHORTEST = 13;
    private static final int LONGEST = 19;
    /** Cards are printed as 4-4-4-4, 4-6-5 or 4-6-4, and longer ones with a rest; a year and a running number are not. */
    private static final int FIRST_GROUP = 4;
    private static final int LONGEST_GROUP = 6;

    private CardNumbers() {}

    static boolean isIn(String text) {
        for (int start = 0; start < text.length(); start++) {
            if (isDigit(text, start) && !isDigit(text, start - 1) && startsAt(text, start)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a number starts with the group of digits at {@code start} and ends with that or a later group. */
    private static boolean startsAt(String text, int start) {
        var digits = new StringBuilder(LONGEST);
        int group = 0;
        for (int i = start; i < text.length() && digits.length() <= LONGEST; i++) {
            char c = text.charAt(i);
            if (isDigit(text, i)) {
                digits.append(c);
                group++;
            } else if (c == ' ' || c == '-') {
                if (digits.length() == group && group != FIRST_GROUP) {
                    return false;
                }
                group = 0;
            } else {
                return false;
            }
            boolean endOfGroup = group > 0 && !isDigit(text, i + 1);
            if (endOfGroup && digits.length() > group && group > LONGEST_GROUP) {
                return false;
            }
            if (endOfGroup && digits.length() >= SHORTEST && digits.length() <= LONGEST && checkDigitFits(digits)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isDigit(String text, int i) {
        return i >= 0 && i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }

    private static boolean checkDigitFits(CharSequence digits) {
        int sum = 0;
        for (int fromTheRight = 0; fromTheRight < digits.length(); fromTheRight++) {
            int digit = digits.charAt(digits.length() - 1 - fromTheRight) - '0';
            int weighed = fromTheRight % 2 == 0 ? digit : digit * 2;
            sum += weighed / 10 + weighed % 10;
        }
        return sum % 10 == 0;
    }
}
