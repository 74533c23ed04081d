package io.chargeonce.load.universe;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.Topics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import tools.jackson.databind.json.JsonMapper;

/** The clients: each wants one payment, asks until it has an answer, and sometimes asks again, or for something else. */
final class Shop {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** A refund of a payment that never succeeds waits to its own deadline. */
    private static final Duration SHORTEST_REFUND = Duration.ofSeconds(5);
    private static final Duration LONGEST_REFUND = Duration.ofSeconds(25);
    private static final Duration LATE_PATIENCE = Duration.ofSeconds(1);
    private static final int MOST_TRIES = 6;
    private static final JsonMapper JSON = new JsonMapper();

    private record Purchase(String merchant, String key, long amount, String currency, String card) {

        PaymentRequest request() {
            return new PaymentRequest(new Money(amount, currency), card, Optional.empty(), Optional.of("order-" + key),
                    Optional.empty(), Optional.empty());
        }

        Purchase dearer() {
            return new Purchase(merchant, key, amount + 1, currency, card);
        }

        ClientCall ended(ClientCall.Result result, Optional<String> id) {
            return new ClientCall(merchant, key, new ClientCall.Content(amount, currency, card), result, id);
        }
    }

    private final Cluster cluster;
    private final Broker broker;
    /** Whether some cards have no money at first. */
    private final boolean poor;
    private final List<ClientCall> calls = new ArrayList<>();
    private final List<RefundCall> refunds = new ArrayList<>();
    private int open;
    private int sold;

    Shop(Cluster cluster, Broker broker, boolean poor) {
        this.cluster = cluster;
        this.broker = broker;
        this.poor = poor;
    }

    List<ClientCall> calls() {
        return calls;
    }

    List<RefundCall> refunds() {
        return refunds;
    }

    boolean isClosed() {
        return open == 0;
    }

    void open(int purchases, Duration within) {
        Kernel kernel = Kernel.it();
        for (int i = 1; i <= purchases; i++) {
            var purchase = new Purchase("shop-" + (1 + kernel.random().nextInt(2)), "key-" + i, 100 + i,
                    kernel.chance(0.8) ? "EUR" : "USD", card(kernel));
            Duration start = kernel.between(Duration.ZERO, within);
            open++;
            boolean byTopic = !broker.intakeTopics().isEmpty() && kernel.chance(0.4);
            kernel.spawn(kernel.world(), "client", () -> {
                kernel.sleep(start);
                if (byTopic) {
                    publish(purchase);
                } else {
                    shop(purchase);
                }
                open--;
            });
        }
    }

    /** A good one, now. */
    void sellOne() {
        sold++;
        var purchase = new Purchase("shop-1", "late-" + sold, 1_000 + sold, "EUR", "pm_good");
        Kernel kernel = Kernel.it();
        kernel.spawn(kernel.world(), "client", () -> {
            for (int i = 0; i < MOST_TRIES && !send(purchase); i++) {
                kernel.sleep(LATE_PATIENCE);
            }
        });
    }

    /** One that is declined, one whose PSP breaks each time before it does anything, or a good one. */
    private String card(Kernel kernel) {
        return poor && kernel.chance(0.2) ? "pm_poor" : kernel.chance(0.15) ? "pm_declined" : kernel.chance(0.2) ? "pm_broken" : "pm_good";
    }

    /** Kafka's acknowledgement is the merchant's: it asks no more. */
    private void publish(Purchase purchase) {
        Kernel kernel = Kernel.it();
        kernel.await(() -> !broker.isDown(), Strand.NEVER);
        byte[] key = purchase.key.getBytes(StandardCharsets.UTF_8);
        byte[] body = JSON.writeValueAsBytes(Map.of("amount", purchase.amount, "currency", purchase.currency, "payment_method", purchase.card,
                "reference", "order-" + purchase.key));
        var record = new ProducerRecord<byte[], byte[]>(Broker.INTAKE + purchase.merchant, key, body);
        broker.append(broker.partitionOf(record), record);
        String id = PaymentId.derive(purchase.merchant, new IdempotencyKey(purchase.key)).value();
        calls.add(purchase.ended(ClientCall.Result.OK, Optional.of(id)));
        kernel.note(purchase.key + " published");
        if (kernel.chance(0.25)) {
            refund(purchase);
        }
    }

    private void shop(Purchase purchase) {
        Kernel kernel = Kernel.it();
        for (int i = 0; i < MOST_TRIES && !send(purchase); i++) {
            kernel.sleep(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(2)));
        }
        if (kernel.chance(0.3)) {
            send(purchase);
        }
        if (kernel.chance(0.15)) {
            send(purchase.dearer());
        }
        if (kernel.chance(0.25)) {
            refund(purchase);
        }
    }

    /** Returns whether there was an answer. The process may die over it, and its answer with it. */
    private boolean send(Purchase purchase) {
        Kernel kernel = Kernel.it();
        Optional<Host> ingest = cluster.ingest();
        var answer = new Object[1];
        ingest.ifPresent(host -> kernel.spawn(host, "request", () -> answer[0] = accept(StandIns.doorOf(host), purchase)));
        kernel.await(() -> answer[0] != null, kernel.after(PATIENCE));
        ClientCall call = answer[0] == null ? purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty()) : read(purchase, answer[0]);
        calls.add(call);
        kernel.note(purchase.key + " " + call.result());
        return call.result() != ClientCall.Result.UNKNOWN;
    }

    /** Of all or of a part, and asked for twice. */
    private void refund(Purchase purchase) {
        Kernel kernel = Kernel.it();
        OptionalLong amount = kernel.chance(0.5) ? OptionalLong.empty() : OptionalLong.of(50);
        for (int i = 0; i < 2; i++) {
            var ask = new Refunds.Ask(purchase.merchant, PaymentId.derive(purchase.merchant, new IdempotencyKey(purchase.key)), amount, Optional.empty());
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(2)));
            Duration within = kernel.between(SHORTEST_REFUND, LONGEST_REFUND);
            cluster.ingest().ifPresent(host -> kernel.spawn(host, "refund", () -> {
                try {
                    var answer = StandIns.database().inTransaction(
                            connection -> Refunds.accept(connection, new Topics("payments"), ask, within));
                    if (answer instanceof Refunds.Answer.Accepted accepted) {
                        refunds.add(new RefundCall(ask.payment().value(), ask.reference(), ask.amount(), ClientCall.Result.OK,
                                Optional.of(accepted.refund().id())));
                    }
                } catch (DatabaseUnavailable | DatabaseRefused answeredWithAnError) {
                    kernel.note("a refund was not answered");
                }
            }));
        }
    }

    private static Object accept(Function<Object, Object> door, Purchase purchase) {
        return door.apply(Ingest.call(Ingest.ASK_OF, null, purchase.merchant, new IdempotencyKey(purchase.key), purchase.request(),
                "127.0.0.1", Kernel.it().clock()));
    }

    private static ClientCall read(Purchase purchase, Object answer) {
        int status = (Integer) Ingest.call(Ingest.STATUS, answer);
        if (status >= 500) {
            return purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty());
        }
        if (status != 202) {
            return purchase.ended(ClientCall.Result.FAIL, Optional.empty());
        }
        byte[] body = (byte[]) Ingest.call(Ingest.BODY, answer);
        return purchase.ended(ClientCall.Result.OK, Optional.of(JSON.readTree(body).path("id").asString()));
    }

    /** The ingest service's own records, which nobody but its HTTP side may see otherwise. */
    private static final class Ingest {

        static final Method ASK_OF = method("accept.Ask", "of", String.class, IdempotencyKey.class, PaymentRequest.class, String.class, Instant.class);
        static final Method STATUS = method("answer.Answer", "status");
        static final Method BODY = method("answer.Answer", "body");

        private static Method method(String type, String name, Class<?>... parameters) {
            try {
                Method method = Class.forName(IngestService.class.getPackageName() + "." + type).getDeclaredMethod(name, parameters);
                method.setAccessible(true);
                return method;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Bug! The ingest service's " + type + " has changed", e);
            }
        }

        static Object call(Method method, Object on, Object... arguments) {
            try {
                return method.invoke(on, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Killed killed) {
                    throw killed;
                }
                throw new IllegalStateException(e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
