// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.notifications.receipt.ReceiptBook.Entry;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ListReceiptsTest {

    private static final Instant AT = Instant.parse("2026-11-27T04:05:21.123456Z");

    @Test
    void receipts_fit_a_window_of_80_columns_with_whole_ids() {
        var out = new StringWriter();
        Table.withEveryColumn(Screen.plain(new PrintWriter(out), 80), ListReceipts.COLUMNS)
                .print(List.of(new Entry("rcp_" + "5".repeat(32), "pay_" + "a".repeat(26), "pay_" + "a".repeat(26), "acme", "refund_failed",
                        "waiting", 11, Optional.of(550), Optional.of("recipient_refused"), AT, AT, Optional.empty())));
        assertThat(out.toString()).isEqualTo("""
                RECEIPT                               PAYMENT                         STATE
                  KIND           TRIES  LAST ANSWER            NEXT TRY OR END
                rcp_55555555555555555555555555555555  pay_aaaaaaaaaaaaaaaaaaaaaaaaaa  waiting
                  refund_failed     11  550 recipient_refused  2026-11-27T04:05:21Z
                """);
    }
}
