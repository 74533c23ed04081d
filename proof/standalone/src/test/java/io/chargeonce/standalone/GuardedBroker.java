// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;

/** A broker as production has it: TLS, a user and password per service, and nothing allowed that no ACL allows. */
final class GuardedBroker implements AutoCloseable {

    private static final List<String> USERS = List.of("admin", "chargeonce-ingest", "chargeonce-charge", "chargeonce-retry",
            "chargeonce-on-call", "chargeonce-migrate", "chargeonce-console", "chargeonce-webhooks", "shop");

    private final KafkaRaftServer server;
    private final Path directory;
    private final int port;

    private GuardedBroker(KafkaRaftServer server, Path directory, int port) {
        this.server = server;
        this.directory = directory;
        this.port = port;
    }

    static GuardedBroker start(Path directory, Certificates certificates) throws Exception {
        Path data = directory.resolve("kafka");
        Files.createDirectories(data);
        int port = freePort();
        Properties settings = settings(data, port, freePort(), certificates);
        new Formatter().setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES).setNodeId(1).setClusterId("Z3VhcmRlZC1icm9rZXItMQ")
                .setControllerListenerName("CONTROLLER").setDirectories(List.of(data.toString()))
                .setMetadataLogDirectory(data.toString()).run();
        var server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
        server.startup();
        return new GuardedBroker(server, directory, port);
    }

    String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** A file for CHARGEONCE_KAFKA_PROPERTIES_FILE. */
    Path clientProperties(String user, Certificates trusted) throws Exception {
        Path file = directory.resolve(user + ".properties");
        Files.writeString(file, """
                security.protocol=SASL_SSL
                sasl.mechanism=PLAIN
                sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="%s" password="%s";
                ssl.truststore.type=PEM
                ssl.truststore.location=%s
                """.formatted(user, password(user), trusted.certificate()));
        return file;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static Properties settings(Path data, int port, int controllerPort, Certificates certificates) {
        String users = USERS.stream().map(user -> "user_%s=\"%s\"".formatted(user, password(user))).collect(Collectors.joining(" "));
        var settings = new Properties();
        settings.putAll(Stream.of(identity(data, port, controllerPort), singleCopies(), Map.of(
                "ssl.keystore.type", "PKCS12", "ssl.keystore.location", certificates.keyStore().toString(),
                "ssl.keystore.password", Certificates.PASSWORD,
                "sasl.enabled.mechanisms", "PLAIN",
                "listener.name.client.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required " + users + ";",
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                // The broker itself speaks to its controller without a name, over loopback.
                "super.users", "User:admin;User:ANONYMOUS"))
                .flatMap(each -> each.entrySet().stream()).collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        return settings;
    }

    private static Map<String, String> identity(Path data, int port, int controllerPort) {
        return Map.of("process.roles", "broker,controller", "node.id", "1", "log.dirs", data.toString(),
                "controller.quorum.voters", "1@127.0.0.1:" + controllerPort, "controller.listener.names", "CONTROLLER",
                "listeners", "CLIENT://127.0.0.1:%d,INTERNAL://127.0.0.1:0,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort),
                "advertised.listeners", "CLIENT://127.0.0.1:%d,INTERNAL://127.0.0.1:0".formatted(port),
                "listener.security.protocol.map", "CLIENT:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "inter.broker.listener.name", "INTERNAL");
    }

    private static Map<String, String> singleCopies() {
        return Map.of("offsets.topic.replication.factor", "1", "offsets.topic.num.partitions", "2",
                "transaction.state.log.replication.factor", "1", "transaction.state.log.min.isr", "1",
                "auto.create.topics.enable", "false", "group.initial.rebalance.delay.ms", "0");
    }

    private static String password(String user) {
        return "password-of-" + user;
    }

    private static int freePort() throws Exception {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
