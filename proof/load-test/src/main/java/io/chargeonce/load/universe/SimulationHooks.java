// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.database.Connections;
import io.chargeonce.database.Database;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.BufferLimit;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import io.chargeonce.load.universe.outside.BankModel;
import io.chargeonce.load.universe.outside.MailRoom;
import io.chargeonce.load.universe.outside.ModelSocket;
import io.chargeonce.load.universe.outside.ModelReceivers;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/** What stands in for the few methods of the services that reach out of a process. Put in while the classes are loaded. */
public final class SimulationHooks {

    private static final Map<Host, Function<Object, Object>> DOORS = new HashMap<>();

    private static final Map<Host, Object> INBOXES = new HashMap<>();

    private SimulationHooks() {}

    /** Keeps none: each is taken from the universe's Postgres. */
    private static final class Simulated implements Connections {

        @Override
        public <T> T lend(Database.Work<T> work) throws SQLException {
            try (Connection connection = SimulatedPostgres.it().connect()) {
                return work.with(connection);
            }
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    public static Database database() {
        return Database.over(new Simulated());
    }

    public static Consumer<byte[], byte[]> consumer(ConsumerSettings settings) {
        return Broker.it().consumer(settings.group(), settings.properties().get("auto.offset.reset").equals("latest"));
    }

    public static Producer<byte[], byte[]> producer() {
        return Broker.it().producer();
    }

    public static Consumer<byte[], byte[]> reader() {
        return Broker.it().reader();
    }

    public static Admin admin() {
        return Broker.it().admin();
    }

    /** So small that it is full every now and then. */
    public static BufferLimit buffer() {
        return new BufferLimit(2, 1 << 20, 64);
    }

    /** In place of HTTP: the process takes requests through this function. */
    @SuppressWarnings("unchecked") // It is the AcceptanceService of the service: AcceptRequest in, Answer out.
    public static void door(Object accept) {
        DOORS.put(Kernel.it().host(), (Function<Object, Object>) accept);
    }

    /** Of those that merchants may have, the ones that there are. */
    public static Set<String> intakeTopics() {
        return Broker.it().intakeTopics();
    }

    /** In place of HTTP: PSPs find the inbox here. */
    public static Object webhooks(Object inbox) {
        INBOXES.put(Kernel.it().host(), inbox);
        return null;
    }

    /** In place of a static field, which all processes of all universes would share. */
    public static void noteWait() {
        Kernel.it().host().waitedAt = OptionalLong.of(Kernel.it().now());
    }

    public static Optional<Duration> waitedAgo() {
        OptionalLong last = Kernel.it().host().waitedAt;
        return last.isEmpty() ? Optional.empty() : Optional.of(Duration.of(Kernel.it().now() - last.getAsLong(), ChronoUnit.MICROS));
    }

    static Object inboxOf(Host host) {
        return INBOXES.get(host);
    }

    /** A gateway's HTTP: see {@link SimulatedPsp}. */
    public static HttpResponse<String> exchange(HttpRequest request) throws IOException {
        return Exchanged.with(request);
    }

    /** The HTTP of webhooks to merchants: see {@link ModelReceivers}. @param client names the addresses to which it would connect */
    public static Object receive(Object client, HttpHost target, HttpUriRequestBase request, HttpClientContext context,
                                 HttpClientResponseHandler<?> read)
            throws IOException {
        return ModelReceivers.it().receive((DnsResolver) fieldOf(client, "targets"), request, read);
    }

    /** What names of merchants' hosts lead to. */
    public static InetAddress[] addressesOf(String host) {
        return ModelReceivers.it().addressesOf(host);
    }

    /** A connection to the mail server, not opened yet. */
    public static Socket socket() {
        return new ModelSocket(MailRoom.it());
    }

    /** A log-in at the bank. */
    public static BankSession bankSession() throws IOException {
        return BankModel.session();
    }

    public static double luck() {
        return Kernel.it().random().nextDouble();
    }

    static Function<Object, Object> doorOf(Host host) {
        return DOORS.get(host);
    }

    static void forgetDoors() {
        DOORS.clear();
        INBOXES.clear();
    }

    /** PartitionWork.awaitQuiet, which waits within a lock. */
    public static boolean awaitQuiet(Object work, long deadlineNanos) {
        Kernel kernel = Kernel.it();
        kernel.await(() -> running(work) == 0, Math.max(kernel.now(), deadlineNanos / 1_000));
        return running(work) == 0;
    }

    private static int running(Object work) {
        return (int) fieldOf(work, "running");
    }

    private static Object fieldOf(Object object, String name) {
        try {
            Field field = object.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! " + object.getClass().getSimpleName() + " has no " + name + " any more", e);
        }
    }
}
