// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import io.chargeonce.examples.WebhookReceiver;
import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiverExampleTest extends ReceiverContract {

    @Override
    Receiver start(int port, List<String> secrets) throws IOException, SQLException {
        var receiver = new WebhookReceiver(port, shop, secrets);
        return new Receiver() {

            @Override
            public String url() {
                return receiver.url();
            }

            @Override
            public String kept() throws SQLException {
                return keptInShop();
            }

            @Override
            public void close() {
                receiver.close();
            }
        };
    }

    @Test
    void what_it_cannot_keep_comes_again() throws Exception {
        try (var receiver = start(0, List.of(SECRET))) {
            long now = Instant.now().getEpochSecond();
            String signature = new Webhook(SECRET).sign("msg_1", now, SUCCEEDED);
            inShop("ALTER TABLE settled RENAME TO away");
            assertThat(post(receiver, "msg_1", now, signature, SUCCEEDED)).isEqualTo(500);
            inShop("ALTER TABLE away RENAME TO settled");
            assertThat(post(receiver, "msg_1", now, signature, SUCCEEDED)).isEqualTo(200);
            assertThat(keptInShop()).startsWith("pay_1 ");
        }
    }

    private void inShop(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(shop); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
