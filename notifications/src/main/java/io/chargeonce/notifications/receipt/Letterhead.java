// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;

/**
 * What all receipts have, unless a merchant has its own.
 *
 * @param from    the address that sends; problems of delivery come back to it
 * @param replyTo where a customer's answer goes; empty for {@code from}
 * @param zone    of the dates
 */
public record Letterhead(String from, Optional<String> replyTo, Locale locale, ZoneId zone) {

    public Letterhead {
        from = asSent(from);
        replyTo = replyTo.map(Letterhead::asSent);
    }

    /** In ASCII, as every command and header of SMTP has it. What is no address is refused with its setting's name. */
    private static String asSent(String address) {
        return Recipient.of(address).map(mailbox -> mailbox.address().getAddress()).orElse(address);
    }

    /** The part behind the at sign, which identifies our messages too. */
    String domain() {
        return from.substring(from.lastIndexOf('@') + 1);
    }
}
