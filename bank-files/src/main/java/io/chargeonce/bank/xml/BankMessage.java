// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import io.chargeonce.payment.Money;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * What a file of a bank says in all. Its lines were given on while it was read.
 *
 * @param message   {@code pain.002}, {@code camt.053} or {@code camt.054}
 * @param messageId the bank's own id of it
 * @param status    what a pain.002 says about a whole file of ours
 */
public record BankMessage(String message, String messageId, Optional<FileStatus> status) {

    /**
     * The bank's word on one of our files.
     *
     * @param originalMessageId the file's MsgId
     * @param status            ISO 20022: {@code ACCP}, {@code RJCT}, {@code PART} and others
     * @param reason            why it is rejected; empty if the bank does not say
     */
    public record FileStatus(String originalMessageId, String status, String reason) {}

    /** Gets each line as soon as it is read. */
    public interface Lines {
        void add(Line line);
    }

    /**
     * One line about one item.
     *
     * @param kind       {@code rejected}, {@code booked} or {@code returned}
     * @param endToEndId empty if the line has none
     * @param amount     in minor units; empty for a status
     * @param credit     whether the money came to us
     */
    public record Line(String kind, String endToEndId, Optional<Long> amount, Optional<String> currency, Optional<Boolean> credit,
            String code,
            String reference, Optional<LocalDate> on) {}

    /** A message that cannot be read. The reason quotes nothing of it. */
    public static final class Unreadable extends Exception {

        private static final long serialVersionUID = 1;

        public Unreadable(String why) {
            super(why);
        }
    }

    private static final BigDecimal MOST = new BigDecimal("9999999999.99");

    /** The rail takes euro only, but an account may book what is not ours in any currency. */
    static long minorUnits(String text, String currency) throws Unreadable {
        try {
            var amount = new BigDecimal(text);
            if (amount.signum() <= 0 || amount.scale() > 5 || amount.compareTo(MOST) > 0) {
                throw new Unreadable("an amount is zero, negative or too large");
            }
            return Money.ofDecimal(amount, currency).map(Money::minorUnits)
                    .orElseThrow(() -> new Unreadable("an amount is none of its currency"));
        } catch (NumberFormatException notAnAmount) {
            throw new Unreadable("an amount is no number");
        }
    }

    static Optional<LocalDate> date(String text) throws Unreadable {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(LocalDate.parse(text.substring(0, Math.min(10, text.length()))));
        } catch (DateTimeParseException notADate) {
            throw new Unreadable("a date is none");
        }
    }
}
