// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.UnknownCause;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OperationTableTest {

    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);

    private static LedgerRows rows;

    @BeforeAll
    static void open() {
        rows = new LedgerRows();
    }

    @AfterAll
    static void close() {
        rows.close();
    }

    @Test
    void a_merged_operation_starts_again_but_its_attempts_count_on() {
        String id = rows.accept();
        rows.claim(id);
        rows.hear(id, new Outcome.Failed(FailureCause.PSP_UNWELL, "500"));
        rows.bury(id, "psp_unwell");
        int step = rows.find(id).step();
        rows.change(id, (connection, operation) -> operation.reenter(NOW, Duration.ofHours(24)));

        Operation merged = rows.find(id);
        assertThat(merged.state()).isEqualTo(OperationState.ACCEPTED);
        assertThat(merged.generation()).isEqualTo(2);
        assertThat(merged.step()).isEqualTo(step + 1);
        assertThat(merged.progress().countedAttempts()).isZero();
        assertThat(merged.tier()).isZero();
        assertThat(merged.chargeBefore()).isEqualTo(NOW.plus(Duration.ofHours(24)));
        rows.claim(id);
        assertThat(rows.attempts(id)).extracting(Attempt::sequence).containsExactly(1, 2);
        assertThat(rows.attempts(id)).extracting(Attempt::generation).containsExactly(1, 2);
    }

    @Test
    void a_dead_operation_settles_with_evidence() {
        String id = rows.accept();
        rows.claim(id);
        rows.bury(id, "internal_error");
        rows.hear(id, new Outcome.Charged("pi_1"));
        rows.change(id, (connection, operation) -> operation.settleSucceeded("pi_1", NOW));
        Operation settled = rows.find(id);
        assertThat(settled.state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(settled.settledAt()).contains(NOW);
        assertThat(settled.failureCause()).isEmpty();
        assertThat(Staging.outcome(LedgerRows.TOPICS, settled).topic()).isEqualTo("payments.outcomes");
    }

    @Test
    void what_is_purged_never_moves_again() {
        String id = rows.accept();
        rows.bury(id, "request_refused");
        rows.change(id, (connection, operation) -> operation.purge(Instant.now()));
        assertThatThrownBy(() -> rows.change(id, (connection, operation) -> operation.reenter(NOW, Duration.ofHours(1))))
                .hasMessageContaining("Bug!").hasMessageContaining("purged to accepted");
        assertThat(rows.find(id).state()).isEqualTo(OperationState.PURGED);
    }

    @Test
    void an_unresolved_operation_can_be_asked_about_now() {
        String id = unresolved(Duration.ofHours(6));
        rows.change(id, (connection, operation) -> assertThat(operation.askNow(NOW)).isTrue());
        Operation due =
                rows.database.inTransaction(connection -> OperationTable.lockDueForStatusQuery(connection, "stripe", 10)).rows().get(id);
        assertThat(due.state()).isEqualTo(OperationState.UNRESOLVED);
        assertThat(due.resolveTries()).isEqualTo(1);
    }

    @Test
    void only_a_psp_at_which_an_operation_is_due_is_asked() {
        String id = unresolved(Duration.ofHours(6));
        rows.change(id, (connection, operation) -> assertThat(operation.askNow(NOW)).isTrue());
        Set<String> psps = rows.database.withConnection(connection -> OperationTable.pspsToAsk(connection, List.of("stripe", "another")));
        assertThat(psps).containsExactly("stripe");
    }

    @Test
    void an_operation_that_is_being_asked_about_is_left_to_its_asker() {
        String id = unresolved(Duration.ZERO);
        var token = UUID.randomUUID();
        rows.change(id, (connection, operation) -> operation.claimForStatusQuery(token, NOW, NOW.plusSeconds(30)));
        rows.change(id, (connection, operation) -> assertThat(operation.askNow(NOW)).isFalse());
        assertThat(rows.find(id).isHeldUnder(token)).isTrue();
    }

    @Test
    void what_is_definite_about_an_attempt_stays() {
        String id = rows.accept();
        rows.claim(id);
        rows.hear(id, new Outcome.Failed(FailureCause.PSP_UNWELL, "500"));
        rows.hear(id, new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "late", Optional.empty()));
        assertThat(rows.attempts(id)).extracting(Attempt::state).containsExactly(AttemptState.FAILED_DEFINITE);
    }

    @Test
    void a_second_attempt_that_could_move_money_is_refused_by_the_database() {
        String id = unresolved(Duration.ZERO);
        rows.change(id, (connection, operation) -> operation.bury("internal_error", "for a test"));
        rows.change(id, (connection, operation) -> operation.reenter(NOW, Duration.ofHours(1)));
        assertThatThrownBy(() -> rows.claim(id)).hasMessageContaining("one_open_attempt");
        assertThat(rows.find(id).sequence()).isEqualTo(1);
    }

    @Test
    void a_psp_that_answers_with_a_nul_does_not_stop_its_payment() {
        String id = rows.accept();
        rows.claim(id);
        rows.hear(id, new Outcome.Declined("gener\0ic", "no\0way", Optional.of("pi\0")));
        rows.change(id, (connection, operation) -> operation.settleDeclined("gener\0ic", "no\0way", Optional.of("pi\0"), NOW));
        assertThat(rows.find(id).failureMessage()).contains("no way");
        assertThat(rows.attempts(id).getFirst().message()).contains("no way");
    }

    @Test
    void what_was_accepted_is_read_again_only_without_the_lease() {
        String id = rows.accept();
        rows.claim(id);
        Operation claimed = rows.find(id);
        Operation held = lock(claimed);
        assertThat(held.accepted()).isSameAs(claimed.accepted());
        assertThat(held).usingRecursiveComparison().isEqualTo(rows.find(id));
        rows.change(id, (connection, operation) -> operation.settleDeclined("lost_card", "lost", Optional.empty(), NOW));
        erase(id);
        assertThat(lock(claimed).accepted().request().customer()).contains(PaymentRequest.ERASED);
    }

    @Test
    void a_lease_that_another_worker_has_now_says_nothing_about_what_was_accepted() {
        String id = unresolved(Duration.ofHours(6));
        rows.change(id, (connection, operation) -> operation.claimForStatusQuery(UUID.randomUUID(), NOW, NOW.plusSeconds(30)));
        Operation asked = rows.find(id);
        rows.change(id, (connection, operation) -> operation.claimForStatusQuery(UUID.randomUUID(), NOW, NOW.plusSeconds(30)));
        erase(id);
        assertThat(lock(asked).accepted().request().customer()).contains(PaymentRequest.ERASED);
        Operation last = rows.find(id);
        assertThat(lock(asked, last).accepted()).isEqualTo(last.accepted());
    }

    /** As their lease's holders do. */
    private static Operation lock(Operation... claimed) {
        Map<UUID, Operation.Accepted> leases = Stream.of(claimed)
                .collect(Collectors.toMap(operation -> operation.leaseToken.orElseThrow(), Operation::accepted));
        return rows.database.inTransaction(connection -> OperationTable.lock(connection, leases)).rows().get(claimed[0].id());
    }

    private static void erase(String id) {
        rows.execute(
                "BEGIN; SET LOCAL chargeonce.erasing = 'on'; UPDATE operation SET customer = '[erased]' WHERE operation_id = '%s'; COMMIT"
                        .formatted(id));
    }

    private static String unresolved(Duration pause) {
        String id = rows.accept();
        rows.claim(id);
        rows.hear(id, new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        rows.change(id, (connection, operation) -> operation.leaveUnresolved("gateway_timed_out", "no answer", NOW, pause));
        return id;
    }
}
