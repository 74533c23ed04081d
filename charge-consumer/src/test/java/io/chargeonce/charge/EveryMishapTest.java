// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.DyingGateway.CrashPoint;
import io.chargeonce.sandbox.psp.Fault;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every call to a PSP × every point at which a process may die × every fault of that PSP × every way in which Kafka may deliver: each time
 * the money moves once by the PSP's own ledger. All run at once, on one Postgres.
 */
class EveryMishapTest {

    enum Delivery { ONCE, AGAIN_LATER, TWICE_AT_ONCE }

    /** One way in which a charge or a refund goes wrong. */
    record Mishap(MishapWorld.Call call, CrashPoint crash, Fault fault, Delivery delivery) {

        /** Adyen freezes a 500 and cannot be asked: an attempt that it never executed is never reported. */
        boolean isNeverTold() {
            return call.isAdyens() && fault instanceof Fault.FailBefore;
        }

        @Override
        public String toString() {
            return "%s, %s, %s, delivered %s".formatted(call, crash, fault.text(), delivery);
        }
    }

    static final Duration CALL_TIMEOUT = Duration.ofMillis(400);
    private static final List<Fault> FAULTS = List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(),
            new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1), new Fault.Refused(403),
            new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)), new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)),
            new Fault.WrongAmount(1), new Fault.TransientBefore(), new Fault.TransientAfter());
    private static Map<Mishap, MishapWorld.End> ends;

    static List<Mishap> mishaps() {
        return Arrays.stream(MishapWorld.Call.values()).flatMap(call -> Arrays.stream(CrashPoint.values()).flatMap(crash -> FAULTS.stream()
                .filter(fault -> call.isAdyens() || !(fault instanceof Fault.Transient))
                .flatMap(fault -> Arrays.stream(Delivery.values()).map(delivery -> new Mishap(call, crash, fault, delivery))))).toList();
    }

    @BeforeAll
    static void let_all_of_it_happen() throws Exception {
        try (var world = new MishapWorld()) {
            ends = world.befall(mishaps());
        }
    }

    @AfterAll
    static void tell() {
        var calls = MishapWorld.Call.values();
        long ofAdyen = Arrays.stream(calls).filter(MishapWorld.Call::isAdyens).count();
        long transientFaults = FAULTS.stream().filter(Fault.Transient.class::isInstance).count();
        long callsTimesFaults = (calls.length - ofAdyen) * (FAULTS.size() - transientFaults) + ofAdyen * FAULTS.size();
        assertThat(ends).hasSize((int) callsTimesFaults * CrashPoint.values().length * Delivery.values().length);
        System.out.printf("%d mishaps: %d faults of %d calls x %d crash points x %d deliveries, money moved once each%n", ends.size(),
                callsTimesFaults, calls.length, CrashPoint.values().length, Delivery.values().length);
    }

    @Test
    void no_fault_of_the_simulators_is_left_out() {
        Set<String> tried = FAULTS.stream().map(fault -> fault.getClass().getSimpleName()).collect(Collectors.toSet());
        assertThat(leaves(Fault.class).map(Class::getSimpleName)).allMatch(tried::contains);
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed() ? Arrays.stream(type.getPermittedSubclasses()).flatMap(EveryMishapTest::leaves).distinct() : Stream.of(type);
    }

    @ParameterizedTest
    @MethodSource("mishaps")
    void the_money_moves_once_after_every_mishap(Mishap mishap) {
        MishapWorld.End end = ends.get(mishap);
        if (mishap.isNeverTold()) {
            assertThat(end.state()).isEqualTo("unresolved");
            assertThat(end.movements()).isEmpty();
            assertThat(end.attempts()).isEqualTo(1);
            return;
        }
        assertThat(end.state()).isEqualTo("succeeded");
        assertThat(end.movements()).containsExactly(1299L);
        assertThat(end.outcomes()).isEqualTo(1);
        assertThat(end.openAttempts()).isEqualTo(1);
    }
}
