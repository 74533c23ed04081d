// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.notifications.Channel;
import io.chargeonce.notifications.SenderService;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Mails receipts to customers: successes become receipts, and a receipt becomes a mail ({@link Mailer}). Wiring only. */
public final class ReceiptService {

    static final Channel CHANNEL = new Channel("receipt", "receipt", "sent", "receipt resend");
    private static final Duration LOOK_FOR_DUE = Duration.ofMillis(100);
    private static final int LARGEST_RECORD = 16 * 1024;
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Map<String, String> GAUGES = Map.of(
            "overdue.seconds", "How long the oldest due receipt has waited",
            "stuck.seconds", "How old the oldest waiting receipt is of those made after the last one was sent");

    private ReceiptService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Kafka, Postgres and the mail server need not answer yet. */
    public static Lifecycle start(ReceiptSettings settings, Meters meters) {
        var topics = new Topics(settings.pipeline().topicPrefix());
        var receipts = new SenderService.Source(Set.of(topics.receipts()), topics.receiptsGroup(), ReceiptService::operationOf);
        var times = new SenderService.Times(LOOK_FOR_DUE, settings.server().timeout(), settings.schedule(), settings.keep());
        return SenderService.<Receipt>start(CHANNEL, settings.pipeline(), meters, receipts, times, (database, lifecycle) -> {
            var table = new ReceiptTable(database);
            var mailer = new Mailer(table, settings.server(), settings.letterhead(), settings.connections(), InstantSource.system());
            return new SenderService.Sending<>(table, mailer, mailer::send, () -> 0, "mail server", mailer::problem, GAUGES);
        });
    }

    private static Optional<String> operationOf(ConsumerRecord<byte[], byte[]> record) {
        try {
            return Optional.ofNullable(record.value()).filter(value -> value.length <= LARGEST_RECORD)
                    .map(value -> MAPPER.readTree(value).at("/operation_id").asString(""));
        } catch (JacksonException noJson) {
            return Optional.empty();
        }
    }
}
