// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.account;

import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.xml.Creditor;
import java.time.Duration;

/**
 * One account at a bank: who we are there, where its server is, and when it takes files. Immutable.
 *
 * @param name             {@code bank}, or {@code bank-} and a name, as charge stores it with every attempt
 * @param prefix           what the ids of our messages begin with
 * @param answerWithin     how long after a file is sealed the bank may be silent about it
 * @param bookedWithinDays how many business days after its due date an accepted item may stay unbooked
 */
public record BankAccount(String name, String prefix, Creditor creditor, SftpPlace place, Windows windows, Duration answerWithin,
        int bookedWithinDays) {

    public BankAccount {
        if (!name.matches("bank(-[a-z0-9]{1,20})?")) {
            throw new IllegalArgumentException("name is 'bank', or 'bank-' and up to 20 lower-case letters and digits");
        }
        if (!prefix.matches("[A-Z0-9]{1,12}")) {
            throw new IllegalArgumentException("message.prefix is 1 to 12 capital letters and digits");
        }
        if (answerWithin.compareTo(Duration.ofSeconds(1)) < 0 || bookedWithinDays < 1 || bookedWithinDays > 60) {
            throw new IllegalArgumentException("answer.within is at least 1s, and booked.within.days is 1 to 60");
        }
    }
}
