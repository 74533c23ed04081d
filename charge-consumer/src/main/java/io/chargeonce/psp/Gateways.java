package io.chargeonce.psp;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PSPs we can charge through, each behind a circuit breaker that is asked before an attempt is written, so that an
 * outage costs no attempts. Safe for any thread.
 */
public final class Gateways {

    private static final Logger LOG = LoggerFactory.getLogger(Gateways.class);

    private final Map<String, Gateway> gateways = new LinkedHashMap<>();
    private final Map<String, CircuitBreaker> breakers = new LinkedHashMap<>();
    private final Map<String, FailureShare> failures = new LinkedHashMap<>();
    private final Map<String, SuccessRate> rates = new LinkedHashMap<>();
    private final InstantSource clock;
    private final MeterRegistry meters;

    /** @param openFor how long a PSP is left alone before one payment probes it */
    public Gateways(List<Gateway> inOrderOfPreference, Duration openFor, InstantSource clock, MeterRegistry meters) {
        this.clock = clock;
        this.meters = meters;
        var config = CircuitBreakerConfig.custom()
                // It decides by its probe alone; when it opens is FailureShare's to say.
                .slidingWindow(1, 1, CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .failureRateThreshold(100)
                .waitDurationInOpenState(openFor)
                .permittedNumberOfCallsInHalfOpenState(1)
                // A probe whose claim never came to a call would otherwise keep the breaker half-open for ever.
                .maxWaitDurationInHalfOpenState(openFor.multipliedBy(2))
                .build();
        for (Gateway gateway : inOrderOfPreference) {
            var breaker = CircuitBreaker.of(gateway.psp(), config);
            breaker.getEventPublisher().onStateTransition(event -> LOG.warn("PSP {}: breaker {}", gateway.psp(),
                    event.getStateTransition()));
            meters.gauge("chargeonce.psp.breaker.open", List.of(io.micrometer.core.instrument.Tag.of("psp", gateway.psp())),
                    breaker, b -> b.getState() == CircuitBreaker.State.CLOSED ? 0 : 1);
            credentialRefused(gateway.psp());
            gateways.put(gateway.psp(), gateway);
            breakers.put(gateway.psp(), breaker);
            failures.put(gateway.psp(), new FailureShare(clock));
            rates.put(gateway.psp(), new SuccessRate());
        }
    }

    /**
     * The first of these PSPs that is well. One whose recent success rate is under half of the best comes last: it may be
     * declining what others take.
     */
    public Optional<Gateway> firstHealthy(List<String> psps) {
        Instant now = clock.instant();
        double best = psps.stream().mapToDouble(psp -> rates.get(psp).at(now)).max().orElse(0);
        return psps.stream()
                .sorted(Comparator.comparing(psp -> rates.get(psp).at(now) < best / 2))
                .filter(psp -> breakers.get(psp).tryAcquirePermission())
                .map(gateways::get)
                .findFirst();
    }

    /** All that are set up, in order of preference. */
    public List<String> psps() {
        return List.copyOf(gateways.keySet());
    }

    public Gateway named(String psp) {
        Gateway gateway = gateways.get(psp);
        if (gateway == null) {
            throw new IllegalStateException(
                    "an attempt was made at PSP '%s', which is not set up here: add its settings".formatted(psp));
        }
        return gateway;
    }

    /** Makes a call that {@link #firstHealthy} allowed, and learns from how it goes. */
    public Outcome watched(Gateway gateway, Supplier<Outcome> call) {
        FailureShare share = failures.get(gateway.psp());
        FailureShare.Call begun = share.begin();
        long start = System.nanoTime();
        Outcome outcome = call.get();
        if (!isUnderWay(outcome)) {
            rates.get(gateway.psp()).add(outcome instanceof Outcome.Charged, clock.instant());
        }
        boolean unwell = saysUnwell(outcome);
        boolean mostlyFails = share.end(begun, unwell);
        CircuitBreaker breaker = breakers.get(gateway.psp());
        if (breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
            share.forget();
            probed(breaker, outcome, unwell, System.nanoTime() - start);
        } else if (mostlyFails) {
            open(breaker);
        }
        if (outcome instanceof Outcome.Failed failed && failed.cause().failureClass() == FailureClass.CONFIG) {
            // The next payment would be refused too, so one answer is enough.
            open(breaker);
            credentialRefused(gateway.psp()).increment();
            LOG.error("ALERT: PSP {} refuses our credential ({}); it gets no payments until that is put right", gateway.psp(), failed.detail());
        }
        return outcome;
    }

    private static void probed(CircuitBreaker breaker, Outcome outcome, boolean unwell, long nanos) {
        if (unwell) {
            breaker.onError(nanos, TimeUnit.NANOSECONDS, new Unwell(outcome));
        } else {
            breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private static void open(CircuitBreaker breaker) {
        if (breaker.getState() != CircuitBreaker.State.OPEN) {
            breaker.transitionToOpenState();
        }
    }

    /** Made at the start too, for an alert can only tell that a number has grown if it was there before. */
    private Counter credentialRefused(String psp) {
        return meters.counter("chargeonce.psp.credential.refused", "psp", psp);
    }

    /** Some PSPs take their time, above all for refunds: that is how they are well. */
    private static boolean isUnderWay(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.STILL_PROCESSING;
    }

    private static boolean saysUnwell(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged -> false;
            case Outcome.Declined declined -> false;
            case Outcome.Unknown unknown -> !isUnderWay(outcome);
            // Our own stall.
            case Outcome.Failed failed when failed.cause() == FailureCause.TOO_LATE_TO_SEND -> false;
            case Outcome.Failed failed -> switch (failed.cause().failureClass()) {
                case NOT_SENT, RATE_LIMITED, CONFIG, RETRYABLE -> true;
                case REFUSED_HERE, POISON -> false;
            };
        };
    }

    /** The breaker wants a throwable; this one carries no stack. */
    private static final class Unwell extends Exception {
        private static final long serialVersionUID = 1;

        Unwell(Outcome outcome) {
            super(outcome.toString(), null, false, false);
        }
    }
}
