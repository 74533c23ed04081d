// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** The broker's settings for one node on a small machine: nothing is replicated, pools and buffers are small. */
final class KafkaSettings {
    static final int NODE = 1;
    static final String CONTROLLER_LISTENER = "CONTROLLER";
    private static final String MEGABYTE = Integer.toString(1024 * 1024);

    private KafkaSettings() {}

    static Properties of(Path dataDirectory, int port, int controllerPort, List<KafkaBroker.Guarded> guarded) {
        Properties settings = new Properties();
        addresses(settings, port, controllerPort);
        for (int i = 0; i < guarded.size(); i++) {
            guarded(settings, "GUARDED" + (i + 1), guarded.get(i));
        }
        settings.setProperty("log.dirs", dataDirectory.toString());
        internalTopics(settings);
        // Both group protocols are on by default; naming them is deprecated.
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        groups(settings);
        pools(settings);
        storage(settings);
        return settings;
    }

    /** Settings that tests need and that a broker elsewhere does not have by default. */
    static Properties forTests() {
        Properties settings = new Properties();
        internalTopics(settings);
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        groups(settings);
        return settings;
    }

    private static void addresses(Properties settings, int port, int controllerPort) {
        settings.setProperty("process.roles", "broker,controller");
        settings.setProperty("node.id", Integer.toString(NODE));
        settings.setProperty("controller.quorum.voters", NODE + "@" + LoopbackPort.HOST + ":" + controllerPort);
        settings.setProperty("listeners", "CLIENT://" + LoopbackPort.HOST + ":" + port + ","
                + CONTROLLER_LISTENER + "://" + LoopbackPort.HOST + ":" + controllerPort);
        settings.setProperty("advertised.listeners", "CLIENT://" + LoopbackPort.HOST + ":" + port);
        settings.setProperty("listener.security.protocol.map", "CLIENT:PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
        settings.setProperty("inter.broker.listener.name", "CLIENT");
        settings.setProperty("controller.listener.names", CONTROLLER_LISTENER);
        // After a SIGKILL the controller refuses the new broker until the old one's session has run out.
        settings.setProperty("broker.session.timeout.ms", "6000");
        settings.setProperty("broker.heartbeat.interval.ms", "1000");
    }

    /** One more address, at which a client needs a user that was made with SCRAM-SHA-256. */
    private static void guarded(Properties settings, String name, KafkaBroker.Guarded listener) {
        append(settings, "listeners", name + "://" + LoopbackPort.HOST + ":" + listener.port());
        append(settings, "advertised.listeners", name + "://" + LoopbackPort.HOST + ":" + listener.advertisedPort());
        append(settings, "listener.security.protocol.map", name + ":SASL_PLAINTEXT");
        settings.setProperty("sasl.enabled.mechanisms", "SCRAM-SHA-256");
        settings.setProperty("listener.name." + name.toLowerCase(Locale.ROOT) + ".scram-sha-256.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    }

    private static void append(Properties settings, String name, String more) {
        settings.setProperty(name, settings.getProperty(name) + "," + more);
    }

    private static void internalTopics(Properties settings) {
        settings.setProperty("default.replication.factor", "1");
        settings.setProperty("min.insync.replicas", "1");
        settings.setProperty("auto.create.topics.enable", "false");
        settings.setProperty("offsets.topic.replication.factor", "1");
        settings.setProperty("offsets.topic.num.partitions", "4");
        settings.setProperty("transaction.state.log.replication.factor", "1");
        settings.setProperty("transaction.state.log.min.isr", "1");
        settings.setProperty("transaction.state.log.num.partitions", "4");
        settings.setProperty("share.coordinator.state.topic.replication.factor", "1");
        settings.setProperty("share.coordinator.state.topic.min.isr", "1");
        settings.setProperty("share.coordinator.state.topic.num.partitions", "4");
    }

    /** Members learn of a rebalance with their next heartbeat. The default is every 5 s, which is long for a test. */
    private static void groups(Properties settings) {
        settings.setProperty("group.min.session.timeout.ms", "2000");
        settings.setProperty("group.consumer.min.heartbeat.interval.ms", "200");
        settings.setProperty("group.consumer.heartbeat.interval.ms", "500");
        settings.setProperty("group.consumer.min.session.timeout.ms", "2000");
        settings.setProperty("group.consumer.session.timeout.ms", "10000");
        settings.setProperty("group.consumer.assignment.interval.ms", "0");
    }

    private static void pools(Properties settings) {
        settings.setProperty("num.network.threads", "2");
        settings.setProperty("num.io.threads", "4");
        settings.setProperty("background.threads", "2");
        settings.setProperty("num.recovery.threads.per.data.dir", "2");
        settings.setProperty("log.cleaner.threads", "1");
        settings.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(4 * 1024 * 1024));
        settings.setProperty("log.cleaner.io.buffer.size", MEGABYTE);
        settings.setProperty("remote.log.storage.system.enable", "false");
    }

    private static void storage(Properties settings) {
        settings.setProperty("log.segment.bytes", Integer.toString(128 * 1024 * 1024));
        settings.setProperty("log.index.size.max.bytes", MEGABYTE);
        settings.setProperty("offsets.topic.segment.bytes", Integer.toString(16 * 1024 * 1024));
        settings.setProperty("log.retention.hours", "168");
        settings.setProperty("offsets.retention.minutes", Integer.toString(7 * 24 * 60));
    }
}
