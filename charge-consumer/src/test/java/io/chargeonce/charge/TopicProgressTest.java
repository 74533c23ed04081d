// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.charge.due.TopicProgress;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.sandbox.KafkaBroker;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicProgressTest {

    private static final Map<String, String> GOOD = properties("p");
    private static final Map<String, String> CHANGED = properties("old");

    @TempDir
    Path directory;

    private static Map<String, String> properties(String password) {
        return Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "SCRAM-SHA-256", "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"u\" password=\"" + password + "\";");
    }

    private static int freePort() throws Exception {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** The file is replaced meanwhile: without clients the sweeper would find nothing until the process is restarted. */
    @Test
    void a_file_that_can_not_be_read_or_used_when_the_password_has_changed_is_read_again() throws Exception {
        int port = freePort();
        try (KafkaBroker broker = KafkaBroker.start(directory, 0, List.of(new KafkaBroker.Guarded(port, port)));
             Admin inside = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            inside.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion("u",
                    new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "p"))).all().get();
            inside.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
            var file = new AtomicReference<Supplier<Map<String, String>>>(() -> CHANGED);
            try (var progress = new TopicProgress(new KafkaConnection("127.0.0.1:" + port, () -> file.get().get()))) {
                assertThat(progress.of("t", "g")).isEmpty();
                file.set(() -> {
                    throw new IllegalArgumentException("planted: the file is away");
                });
                assertThat(progress.of("t", "g")).isEmpty();
                assertThat(progress.of("t", "g")).isEmpty();
                file.set(() -> Map.of("security.protocol", "half"));
                assertThat(progress.of("t", "g")).isEmpty();
                file.set(() -> GOOD);
                await().until(() -> progress.of("t", "g").isPresent());
            }
        }
    }
}
