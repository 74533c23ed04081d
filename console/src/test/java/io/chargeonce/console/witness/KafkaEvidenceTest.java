// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaEvidenceTest {

    private static final TopicPartition PARTITION = new TopicPartition("payments.retry-1", 0);

    private static Map<TopicPartition, Long> at(long offset) {
        return Map.of(PARTITION, offset);
    }

    @ParameterizedTest(name = "end {0} then and {1} now, beginning at {2}, read to {3}: {4} to go")
    @CsvSource(textBlock = """
            50, 60, 0,  40, 10
            50, 60, 0,  50, 0
            50, 60, 45, 0,  5
            50, 60, 55, 0,  0
            """)
    void what_was_there_then_and_is_not_read_or_deleted_yet_is_to_be_read(long then, long now, long first, long read, long left) {
        assertThat(KafkaEvidence.toRead(at(then), at(now), at(first), at(read))).isEqualTo(left);
    }

    /** Otherwise it would wait for records that no longer come, and vouch for nothing until the new topic is as long as the old one was. */
    @ParameterizedTest(name = "of {0} records only {1} are there now, read to {2}: {3} to go")
    @CsvSource(textBlock = """
            50, 3, 3,  0
            50, 3, 1,  2
            50, 3, 50, 3
            50, 0, 50, 0
            """)
    void a_topic_that_was_made_again_has_to_be_read_only_as_far_as_it_goes(long then, long now, long read, long left) {
        assertThat(KafkaEvidence.toRead(at(then), at(now), at(0), at(read))).isEqualTo(left);
    }

    @Test
    void nothing_is_known_to_be_read_of_a_group_without_offsets() {
        assertThat(KafkaEvidence.toRead(at(7), at(7), Map.of(), Map.of())).isEqualTo(7);
    }
}
