// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.settlement;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.text.Cut;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * One movement of money in a settlement report.
 *
 * @param psp       the account's name, as stored with attempts
 * @param id        of the line; a repeat of the line has the same
 * @param key       of the attempt, as the line names it
 * @param reference the PSP's, to ask it about the movement
 * @param at        when it was booked, by the PSP's clock
 * @param number    of the line in its report, from 1
 */
public record BookedLine(String psp, String id, Optional<PspKey> key, Moved moved, Money money, Optional<String> reference, Instant at,
        long number) {

    public static final int LONGEST = 200;

    public BookedLine {
        if (!psp.matches("[a-z][a-z0-9-]{0,39}")) {
            throw new IllegalArgumentException("'%s' is no name of an account at a PSP".formatted(psp));
        }
        require(id, "the line's id");
        reference.ifPresent(text -> require(text, "the PSP's reference"));
        if (number < 1) {
            throw new IllegalArgumentException("Bug! Lines are counted from 1, not " + number);
        }
    }

    private static void require(String text, String what) {
        if (text.isEmpty() || Cut.isLonger(text, LONGEST) || text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new IllegalArgumentException("%s is not one line of 1 to %d characters".formatted(what, LONGEST));
        }
    }

    /** The same line under another id. */
    public BookedLine named(String other) {
        return new BookedLine(psp, other, key, moved, money, reference, at, number);
    }

    /** The same line, about this attempt. */
    public BookedLine about(PspKey attempt) {
        return new BookedLine(psp, id, Optional.of(attempt), moved, money, reference, at, number);
    }

    /** Which way the money went. */
    public enum Moved {
        /** To us, for a charge. */
        CAPTURED,
        /** A capture went back without a refund of ours: it failed later, or it was reversed. */
        CAPTURE_RETURNED,
        /** To the customer, for a refund or a reversal. */
        GIVEN_BACK,
        /** A refund came back to us. */
        GIVE_BACK_RETURNED;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Moved fromTag(String tag) {
            return Arrays.stream(values()).filter(one -> one.tag().equals(tag)).findFirst()
                    .orElseThrow(() -> new IllegalStateException("Bug! Money did not move so: " + tag));
        }

        /** Whether it is about a charge. */
        public boolean isOfACharge() {
            return this == CAPTURED || this == CAPTURE_RETURNED;
        }
    }
}
