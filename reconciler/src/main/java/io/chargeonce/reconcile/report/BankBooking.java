// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.BookedLine.Moved;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * One booking of a bank's, from a camt.053 or camt.054. A notification and a statement tell of the same booking, so its id is made from
 * what it is about and the bank's reference of it. One reference may be of several strangers' bookings, so theirs has the amount too.
 *
 * @param number     of the booking in its source, from 1
 * @param returned   whether money went back that had moved before
 * @param endToEndId our attempt's key, or anything else of a stranger's
 * @param credit     whether the money came to us
 * @param reference  the bank's; may be empty
 */
public record BankBooking(String bank, long number, boolean returned, String endToEndId, long amount, String currency, boolean credit,
        String reference, LocalDate on) {

    public Entry entry() {
        try {
            Moved moved = returned ? credit ? Moved.GIVE_BACK_RETURNED : Moved.CAPTURE_RETURNED
                    : credit ? Moved.CAPTURED : Moved.GIVEN_BACK;
            var money = new Money(amount, currency);
            Optional<PspKey> key = PspKey.parse(endToEndId);
            String id =
                    String.join(" ", moved.tag(), endToEndId.isEmpty() ? "-" : endToEndId, reference.isEmpty() ? on.toString() : reference);
            return new Entry.Booked(new BookedLine(bank, key.isPresent() ? id : id + " " + money, key, moved, money,
                    Optional.of(reference).filter(text -> !text.isEmpty()), on.atStartOfDay(ZoneOffset.UTC).toInstant(), number),
                    Optional.empty());
        } catch (IllegalArgumentException notALine) {
            return new Entry.Unreadable(number, notALine.getMessage());
        }
    }
}
