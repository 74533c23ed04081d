// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** In a window of 80 columns. */
class ListsTest {

    private static final Instant AT = Instant.parse("2026-11-27T04:05:21.123456Z");
    private static final String ENDPOINT = "whe_" + "0".repeat(24);
    private static final String WEBHOOK = "msg_" + "1".repeat(32);
    private static final String PAYMENT = "pay_" + "a".repeat(26);

    private static <R> String printed(List<Column<R>> columns, R row) {
        var out = new StringWriter();
        Table.withEveryColumn(Screen.plain(new PrintWriter(out), 80), columns).print(List.of(row));
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        return out.toString();
    }

    @Test
    void endpoints_are_listed_with_whole_ids_and_addresses() {
        assertThat(printed(ListEndpoints.COLUMNS, new EndpointTable.Endpoint(ENDPOINT, "acme", "https://hooks.example/payments",
                List.of("payment.succeeded", "refund.succeeded"), "enabled", 2, AT, Optional.empty())))
                .contains(ENDPOINT, "https://hooks.example/payments", "payment.succeeded,refund.succeeded", "2026-11-27T04:05:21Z");
    }

    @Test
    void deliveries_are_listed_with_whole_ids() {
        assertThat(printed(Deliveries.COLUMNS,
                new DeliveryBook.Entry(WEBHOOK, ENDPOINT, "payment.succeeded", Optional.of(PAYMENT), "delivered",
                        11, Optional.of(200), Optional.empty(), AT, AT, Optional.of(AT))))
                .contains(WEBHOOK, ENDPOINT, PAYMENT, "payment.succeeded",
                        "2026-11-27T04:05:21Z");
    }
}
