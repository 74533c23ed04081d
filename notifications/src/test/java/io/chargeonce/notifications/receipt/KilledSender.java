// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** A process that mails one receipt and is gone before it records that. Its arguments: the database, the mail server's port. */
final class KilledSender {

    static final int AS_BY_SIGKILL = 137;

    private KilledSender() {}

    public static void main(String[] arguments) {
        var table = new ReceiptTable(Database.openForService(arguments[0], Books.ROLE, "", 2));
        List<Receipt> claimed = table.claim(1, Duration.ofSeconds(5));
        var mailer = new Mailer(table, MailServer.here(Integer.parseInt(arguments[1]), Duration.ofSeconds(10)), Books.letterhead(), 1,
                InstantSource.system());
        SendResult answer = mailer.send(claimed.getFirst());
        // No hook runs and nothing is flushed or committed.
        Runtime.getRuntime().halt(answer.result() == Result.DELIVERED ? AS_BY_SIGKILL : 1);
    }
}
