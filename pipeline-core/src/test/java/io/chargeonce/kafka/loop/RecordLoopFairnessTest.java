// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.GroupProtocol;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A value is a share and a number. All records of "slow" stay in the handler until they are released. */
class RecordLoopFairnessTest {
    private static final int SLOTS = 16;
    private static final int BUFFER = 20;
    private final Script script = new Script();
    private final RecordHandler handler = new RecordHandler() {
        @Override
        public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
            return script.handle(record);
        }

        @Override
        public String shareOf(ConsumerRecord<byte[], byte[]> record) {
            return new String(record.value()).split(" ")[0];
        }
    };
    private TestTopic topic;

    @BeforeEach
    void createTopic() throws Exception {
        topic = TestTopic.withPartitions(1);
    }

    @AfterEach
    void closeTopic() {
        topic.close();
    }

    private void sendSlow(int records) throws Exception {
        for (int i = 0; i < records; i++) {
            script.hold("slow " + i);
            topic.send(0, "slow-key-" + i, "slow " + i);
        }
    }

    private RecordLoop start(int buffer) {
        LoopSettings settings = Loops.settings(topic).withBuffer(new BufferLimit(buffer, 1 << 20, 10_000));
        return Loops.start(settings, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), handler);
    }

    @Test
    void a_lone_one_has_all_slots_and_slow_as_it_is_delays_no_other() throws Exception {
        sendSlow(4 * SLOTS);
        try (RecordLoop loop = start(1_000)) {
            await().until(() -> script.begun().size() == SLOTS);

            topic.send(0, "a", "quick 1");
            topic.send(0, "b", "quick 2");
            await().until(() -> script.done().size() == 2);

            assertThat(script.done()).containsExactlyInAnyOrder("quick 1", "quick 2");
            assertThat(script.mostInFlight()).isLessThanOrEqualTo(SLOTS + SLOTS / 4);
            IntStream.range(0, 4 * SLOTS).forEach(i -> script.letGo("slow " + i));
            await().until(() -> script.done().size() == 4 * SLOTS + 2);
        }
        assertThat(topic.committed()).isEqualTo(Map.of(0, 4L * SLOTS + 2));
    }

    @Test
    void behind_more_of_one_than_the_buffer_holds_the_records_of_others_are_found() throws Exception {
        int backlog = 3 * BUFFER;
        sendSlow(backlog);
        topic.send(0, "a", "quick 1");
        try (RecordLoop loop = start(BUFFER)) {
            await().until(() -> script.done().contains("quick 1"));
            assertThat(topic.committed().getOrDefault(0, 0L)).as("nothing is skipped").isZero();

            IntStream.range(0, backlog).forEach(i -> script.letGo("slow " + i));
            await().until(() -> script.done().size() == backlog + 1);
        }
        assertThat(topic.committed()).isEqualTo(Map.of(0, backlog + 1L));
    }
}
