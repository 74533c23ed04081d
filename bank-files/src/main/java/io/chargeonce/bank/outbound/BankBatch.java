// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.xml.PaymentFile;
import java.time.Instant;
import java.time.LocalDate;

/**
 * One file of ours, as its row says.
 *
 * @param total in minor units
 */
record BankBatch(long id, String bank, PaymentFile.Kind kind, String currency, String messageId, String fileName, LocalDate dueOn,
        int items, long total, State state, byte[] sha256, long size, Instant sealedAt, int tries, int resends) {

    /** How far it has come. Each is written before the step that leads out of it. */
    enum State {
        SEALED, RENDERED, UPLOADING, UPLOADED, RENAMING, SENT;

        String tag() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    String temporaryName() {
        return fileName + ".part";
    }

    /** Where its bytes are. */
    String bytes() {
        return "out/" + messageId;
    }
}
