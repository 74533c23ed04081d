// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.webhook.WebhookServer;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ConditionTimeoutException;

/** Both PSPs, one Postgres, and processes that die: many payments meet mishaps at once. */
final class MishapWorld implements AutoCloseable {

    /** A call of an attempt. */
    enum Call {
        STRIPE_CREATE(io.chargeonce.sandbox.stripe.StripeOperation.CREATE),
        STRIPE_CONFIRM(io.chargeonce.sandbox.stripe.StripeOperation.CONFIRM),
        STRIPE_REFUND(io.chargeonce.sandbox.stripe.StripeOperation.REFUND),
        ADYEN_PAYMENT(io.chargeonce.sandbox.adyen.AdyenOperation.PAYMENT),
        ADYEN_REFUND(io.chargeonce.sandbox.adyen.AdyenOperation.REFUND);

        final Endpoint endpoint;

        Call(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        boolean isAdyens() {
            return this == ADYEN_PAYMENT || this == ADYEN_REFUND;
        }

        boolean givesBack() {
            return this == STRIPE_REFUND || this == ADYEN_REFUND;
        }
    }

    /** An operation's state at rest. */
    record End(String state, int attempts, long openAttempts, long outcomes, List<Long> movements) {}

    private static final String HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    private static final int AT_ONCE = 24;
    /** After this many status queries an outcome counts as never reported. */
    private static final int STATUS_QUERIES_IN_VAIN = 5;

    private final EngineFixture books = new EngineFixture();
    private final StripeSimulator stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
    private final AdyenSimulator adyen;
    private final Gateway stripeGateway;
    private final Gateway adyenGateway;
    private final EngineFixture.Process stripeSuccessor;
    private final EngineFixture.Process adyenSuccessor;
    private final WebhookServer webhooks;
    private final Semaphore places = new Semaphore(AT_ONCE);

    MishapWorld() {
        int port = EngineFixture.freePort();
        this.adyen = AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory().storing("pm_card_visa", "APPROVED")
                .modificationLag(Duration.ofMillis(20)).webhook(URI.create("http://127.0.0.1:" + port + "/v1/webhooks/adyen"), HMAC_KEY));
        this.stripeGateway = new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), EveryMishapTest.CALL_TIMEOUT));
        this.adyenGateway = new AdyenGateway(new AdyenSettings(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY,
                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, adyen.apiBase().toString(),
                EveryMishapTest.CALL_TIMEOUT,
                Optional.of(HMAC_KEY)));
        // One PSP first in each; the resolver of either asks both.
        this.stripeSuccessor = books.process(stripeGateway, adyenGateway);
        this.adyenSuccessor = books.process(adyenGateway, stripeGateway);
        this.webhooks = WebhookServer.start(new Address("127.0.0.1", port), adyenSuccessor.inbox,
                new io.micrometer.core.instrument.simple.SimpleMeterRegistry());
    }

    /** Returns when all of them are at rest. */
    Map<EveryMishapTest.Mishap, End> befall(List<EveryMishapTest.Mishap> mishaps) throws Exception {
        var running = new LinkedHashMap<EveryMishapTest.Mishap, Future<String>>();
        var ends = new LinkedHashMap<EveryMishapTest.Mishap, End>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor(); var resolving = Executors.newSingleThreadScheduledExecutor()) {
            resolving.scheduleWithFixedDelay(adyenSuccessor.resolver::runOnce, 0, 5, TimeUnit.MILLISECONDS);
            for (int i = 0; i < mishaps.size(); i++) {
                String order = "order-" + i;
                EveryMishapTest.Mishap mishap = mishaps.get(i);
                running.put(mishap, threads.submit(() -> befall(mishap, order)));
            }
            for (var one : running.entrySet()) {
                String operation = one.getValue().get();
                ends.put(one.getKey(), end(one.getKey().call(), operation));
            }
        }
        return ends;
    }

    private String befall(EveryMishapTest.Mishap mishap, String order) throws Exception {
        places.acquire();
        try {
            EngineFixture.Process successor = mishap.call().isAdyens() ? adyenSuccessor : stripeSuccessor;
            String payment = books.accept(order);
            String operation = mishap.call().givesBack() ? refundOfCaptured(payment, successor) : payment;
            psp(mishap.call()).inject(FaultRule.once(mishap.fault()).on(mishap.call().endpoint).forMetadata("payment_id", payment));
            var record = books.takeWork(operation).getFirst();
            boolean twice = mishap.delivery() == EveryMishapTest.Delivery.TWICE_AT_ONCE;
            Gateway gateway = mishap.call().isAdyens() ? adyenGateway : stripeGateway;
            try (var dying = books.mortalProcess(new DyingGateway(gateway, mishap.crash()))) {
                deliver(dying, record, twice ? 2 : 1);
            }
            if (mishap.crash() != DyingGateway.CrashPoint.NOWHERE || mishap.delivery() == EveryMishapTest.Delivery.AGAIN_LATER) {
                // Its offset was never committed.
                deliver(successor, record, 1);
            }
            awaitRest(mishap, operation, successor);
            deliver(successor, record, mishap.delivery() == EveryMishapTest.Delivery.ONCE ? 0 : 1);
            return operation;
        } finally {
            places.release();
        }
    }

    private void awaitRest(EveryMishapTest.Mishap mishap, String operation, EngineFixture.Process successor) {
        try {
            Waiting.until(() -> hasComeToRest(mishap, operation, successor));
        } catch (ConditionTimeoutException e) {
            var row = books.operation(operation);
            throw new AssertionError("%s: %s does not come to rest; it is %s after %d attempts: %s".formatted(mishap, operation,
                    row.state(), row.sequence(), row.failureMessage().orElse("")), e);
        }
    }

    private String refundOfCaptured(String payment, EngineFixture.Process successor) {
        Waiting.until(() -> {
            books.takeWork(payment).forEach(successor::handle);
            return books.state(payment) == OperationState.SUCCEEDED;
        });
        books.refund(payment, OptionalLong.empty(), "");
        return "payment-" + payment + "-refund";
    }

    private boolean hasComeToRest(EveryMishapTest.Mishap mishap, String operation, EngineFixture.Process successor) {
        for (var record : books.takeWork(operation)) {
            Waiting.until(() -> successor.handle(record) instanceof io.chargeonce.kafka.loop.Verdict.Done);
        }
        return switch (books.state(operation)) {
            case SUCCEEDED -> true;
            case UNRESOLVED -> mishap.isNeverTold() && books.operation(operation).resolveTries() >= STATUS_QUERIES_IN_VAIN;
            case DEAD -> {
                // On a machine so slow that every attempt timed out; an operator merges it.
                books.merge(operation);
                yield false;
            }
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, FAILED, DECLINED, PURGED, CANCELED -> false;
        };
    }

    private static void deliver(EngineFixture.Process process, ConsumerRecord<byte[], byte[]> record, int times) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < times; i++) {
                threads.submit(() -> process.handle(record));
            }
        }
    }

    private End end(Call call, String operation) {
        var row = books.operation(operation);
        Movement.Kind kind = call.givesBack() ? Movement.Kind.REFUND : Movement.Kind.CAPTURE;
        List<Long> moved = List.of(stripe, adyen).stream().flatMap(psp -> psp.movements().stream())
                .filter(movement -> movement.kind() == kind
                        && row.accepted().payment().value().equals(movement.metadata().get("payment_id")))
                .map(Movement::amount).toList();
        return new End(row.state().tag(), row.sequence(),
                books.count("FROM payment_attempt WHERE NOT failed_definite AND operation_id = '" + operation + "'"),
                books.count("FROM outbox WHERE topic = '" + books.topics.outcomes() + "' AND record_key = '" + operation + "'"), moved);
    }

    private PspSimulator psp(Call call) {
        return call.isAdyens() ? adyen : stripe;
    }

    @Override
    public void close() throws Exception {
        webhooks.close();
        books.close();
        stripe.close();
        adyen.close();
    }
}
