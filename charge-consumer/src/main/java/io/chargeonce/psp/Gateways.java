// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PSPs that are set up, each with its health. Health is checked before an attempt is written, so that an outage costs no attempts. Any
 * thread.
 */
public final class Gateways {

    private static final Logger LOG = LoggerFactory.getLogger(Gateways.class);

    /** Without payments no call shows that the credential is right again. */
    private static final Duration REFUSED_LATELY = Duration.ofMinutes(15);

    private record Psp(Gateway gateway, PspHealth health, AtomicBoolean loggedWell, AtomicReference<Instant> refusedUs) {}

    /** Where a payment goes now. */
    public sealed interface Choice {

        record At(Gateway gateway) implements Choice {}

        /** Each PSP that is well has reached its limit for now. */
        record Later(Duration pause) implements Choice {}

        record NoneIsWell() implements Choice {}

        /**
         * A person has paused these, and no other of them is well.
         *
         * @param others whether there are others
         */
        record Paused(List<String> psps, boolean others) implements Choice {}

        /** This process has settings for none of them. */
        record NoneIsSetUp() implements Choice {}
    }

    /**
     * What people have decided about PSPs.
     *
     * @param paused get no payments and no probes
     * @param forced get payments as if their breakers were closed
     */
    public record Held(Set<String> paused, Set<String> forced) {

        public static final Held NONE = new Held(Set.of(), Set.of());

        public Held {
            paused = Set.copyOf(paused);
            forced = Set.copyOf(forced);
        }
    }

    private final Map<String, Psp> psps = new LinkedHashMap<>();
    private volatile Held held = Held.NONE;
    private final InstantSource clock;
    private final MeterRegistry meters;

    /** Without quotas. */
    public Gateways(List<Gateway> inOrderOfPreference, Duration openFor, InstantSource clock, MeterRegistry meters) {
        this(inOrderOfPreference, openFor, Map.of(), clock, meters);
    }

    /**
     * @param openFor how long an unwell PSP gets no payments before one payment probes it
     * @param quotas  by PSP: how many payments per second all processes together send to it at most
     */
    public Gateways(List<Gateway> inOrderOfPreference, Duration openFor, Map<String, Integer> quotas, InstantSource clock,
                    MeterRegistry meters) {
        this.clock = clock;
        this.meters = meters;
        for (Gateway gateway : inOrderOfPreference) {
            double quota = Optional.ofNullable(quotas.get(gateway.psp())).map(Integer::doubleValue).orElse(Double.POSITIVE_INFINITY);
            var psp = new Psp(gateway, new PspHealth(openFor, quota, clock), new AtomicBoolean(true),
                    new AtomicReference<>(Instant.MIN));
            var tags = List.of(Tag.of("psp", gateway.psp()));
            meters.gauge("chargeonce.psp.breaker.open", tags, psp.health, health -> health.isWell() ? 0 : 1);
            meters.gauge("chargeonce.psp.payments.per.second.limit", tags, psp.health, PspHealth::paymentsPerSecond);
            credentialRefused(gateway.psp());
            if (psps.put(gateway.psp(), psp) != null) {
                throw new IllegalArgumentException("Bug! Two accounts are called " + gateway.psp());
            }
        }
    }

    /** From now on {@link #choose} obeys these. */
    public void hold(Held now) {
        held = now;
    }

    /**
     * The first of these PSPs that is well. An unwell PSP gets a single payment now and then, in any order, because otherwise it could
     * never show that it is well again. A PSP that declines what others accept, or that failed just now, comes last. One that a person has
     * paused is left out, and the breaker of one that a person has forced counts as closed; its limit holds all the same.
     */
    public Choice choose(List<String> names) {
        List<Psp> known = names.stream().map(psps::get).filter(Objects::nonNull).toList();
        if (known.isEmpty()) {
            return new Choice.NoneIsSetUp();
        }
        Held decided = held;
        List<Psp> free = known.stream().filter(psp -> !decided.paused.contains(psp.gateway.psp())).toList();
        double best = best(free);
        for (Psp psp : free) {
            // A forced PSP is probed too, so that its breaker knows more when the force ends.
            if (psp.health.takeProbe() || psp.health.takeTrial(best)) {
                return new Choice.At(psp.gateway);
            }
        }
        Choice choice = firstWell(free, best, decided.forced);
        boolean waitsForAPerson = choice instanceof Choice.NoneIsWell && free.size() < known.size();
        return waitsForAPerson ? new Choice.Paused(known.stream().map(psp -> psp.gateway.psp()).filter(decided.paused::contains).toList(),
                !free.isEmpty()) : choice;
    }

    private static Choice firstWell(List<Psp> free, double best, Set<String> forced) {
        Optional<Duration> wait = Optional.empty();
        List<Psp> well = free.stream().filter(psp -> psp.health.isWell() || forced.contains(psp.gateway.psp()))
                .sorted(Comparator.comparing(psp -> psp.health.comesLast(best))).toList();
        for (Psp psp : well) {
            Optional<Duration> full = psp.health.take();
            if (full.isEmpty()) {
                return new Choice.At(psp.gateway);
            }
            wait = wait.filter(shorter -> shorter.compareTo(full.get()) < 0).or(() -> full);
        }
        return wait.<Choice>map(Choice.Later::new).orElseGet(Choice.NoneIsWell::new);
    }

    private static double best(Iterable<Psp> among) {
        double best = 0;
        for (Psp psp : among) {
            best = Math.max(best, psp.health.successRate());
        }
        return best;
    }

    /** All that are set up, in order of preference. */
    public List<String> psps() {
        return List.copyOf(psps.keySet());
    }

    /** Empty for a PSP without settings in this process, although an attempt may have been made there. */
    public Optional<Gateway> find(String psp) {
        return Optional.ofNullable(psps.get(psp)).map(Psp::gateway);
    }

    /** One of {@link #psps}. */
    public Gateway named(String psp) {
        return find(psp).orElseThrow(() -> new IllegalStateException("Bug! PSP '%s' is not set up here".formatted(psp)));
    }

    /**
     * Makes a call that {@link #choose} allowed, and learns from its outcome.
     *
     * @param suspect whether the payment has waited in a tier: that it alone fails once more says little about the PSP
     */
    public Outcome watched(Gateway gateway, PaymentId payment, boolean suspect, Supplier<Outcome> call) {
        PspHealth health = psps.get(gateway.psp()).health;
        PspHealth.Begun begun = health.begin();
        Outcome outcome = call.get();
        boolean credentialRefused = health.end(begun, payment.value(), suspect, outcome, best(psps.values()));
        psps.get(gateway.psp()).refusedUs.set(credentialRefused ? clock.instant() : Instant.MIN);
        if (credentialRefused) {
            credentialRefused(gateway.psp()).increment();
            LOG.error("ALERT: PSP {} refuses our credential ({}). It gets no payments until that is fixed", gateway.psp(), outcome);
        }
        log(gateway.psp());
        return outcome;
    }

    /** Which PSPs refused our credential when they were last called, not long ago; a rollout with a wrong one stops at this. */
    public Optional<String> problem() {
        Instant recent = clock.instant().minus(REFUSED_LATELY);
        List<String> refusing = psps.values().stream().filter(psp -> psp.refusedUs.get().isAfter(recent))
                .map(psp -> psp.gateway.psp()).toList();
        return refusing.isEmpty() ? Optional.empty()
                : Optional.of("our credential is refused by " + String.join(", ", refusing) + ": correct its file");
    }

    /**
     * Whether a payment that failed there failed by itself, because the PSP was well for other payments.
     *
     * @param since when it was sent, or began to wait before, by this process's clock
     */
    public boolean wasWellForOthers(String psp, Instant since) {
        return Optional.ofNullable(psps.get(psp)).filter(one -> one.health.wasWellForOthers(since)).isPresent();
    }

    /** Whether a failure at that time turned out to be the PSP's fault: other payments failed right after it too. */
    public boolean wasUnwellAt(String psp, Instant failed) {
        return Optional.ofNullable(psps.get(psp)).filter(one -> one.health.wasUnwellAt(failed)).isPresent();
    }

    /** This process's clock, the base of all times of the PSPs' health. */
    public Instant now() {
        return clock.instant();
    }

    /** What this process knows, by PSP. */
    public Map<String, PspHealthReport> news() {
        var news = new LinkedHashMap<String, PspHealthReport>();
        psps.forEach((name, psp) -> news.put(name, psp.health.news()));
        return news;
    }

    /** Takes over what the other processes know about this PSP. */
    public void learn(String psp, List<PspHealthReport> news) {
        Optional.ofNullable(psps.get(psp)).ifPresent(known -> {
            known.health.learn(news);
            log(psp);
        });
    }

    /** Once for each change, however many calls were under way when it changed. */
    private void log(String psp) {
        Psp known = psps.get(psp);
        boolean isWell = known.health.isWell();
        if (known.loggedWell.getAndSet(isWell) != isWell) {
            LOG.warn(isWell ? "PSP {} is well again" : "PSP {} is unwell: it gets only a probe now and then", psp);
        }
    }

    /** Created at the start too: an alert can only detect a counter's growth if the counter existed before. */
    private Counter credentialRefused(String psp) {
        return meters.counter("chargeonce.psp.credential.refused", "psp", psp);
    }
}
