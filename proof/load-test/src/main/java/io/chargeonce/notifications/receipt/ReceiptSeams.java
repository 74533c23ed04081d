// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static io.chargeonce.load.plant.PlantedChange.leftOut;
import static io.chargeonce.load.plant.PlantedChange.leftOutIf;
import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Tampering;
import io.chargeonce.notifications.SendResult;
import jakarta.mail.MessagingException;
import java.net.SocketException;

/** What only this package may name. */
public interface ReceiptSeams {

    Seam PLAIN_SOCKET = at(WatchedSockets::plain);

    PlantedChange SENT_ANYHOW = PlantedChange.<SendResult>result(at(Mailer::send), said -> SendResult.delivered(250));

    PlantedChange SENT_IF_BROKEN_OFF = PlantedChange.<SendResult>result(at(MailConnection::answer),
            (call, said) -> isReset(call.<MessagingException>argument(0).getNextException()) ? SendResult.delivered(250) : said);

    PlantedChange FRESH_SENDER = leftOutIf(at(MailConnection::send), call -> {
        String sender = Tampering.freshId("bounce-") + "@chargeonce.example";
        ((MailConnection) call.self()).session().getProperties().put("mail.smtp.from", sender);
        return false;
    });

    private static boolean isReset(Exception cause) {
        return cause instanceof SocketException && "Connection reset".equals(cause.getMessage());
    }

    PlantedChange NOT_AGAIN = leftOut(at(ReceiptBook::resend));

    PlantedChange FRESH_ID = PlantedChange.<Receipt>argument(at(Mail::of), 0,
            receipt -> new Receipt(Tampering.freshId("rcp_"), receipt.attempt(), receipt.fence()));
}
