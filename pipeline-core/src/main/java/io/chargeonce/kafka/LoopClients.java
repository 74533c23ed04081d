// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import io.chargeonce.kafka.loop.RecordLoop;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;

/** Makes the Kafka clients of a {@link RecordLoop}. The loop requests new ones whenever one broke, and closes each. */
public interface LoopClients {
    Consumer<byte[], byte[]> newConsumer();

    Admin newAdmin();

    /** For partitions that a consumer cannot read in the memory that there is. */
    BatchReader newBatchReader();
}
