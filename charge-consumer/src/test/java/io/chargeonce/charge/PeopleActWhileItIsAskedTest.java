// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.EndedPurges;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.PurgedLetters;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The resolver holds the lease and waits for the PSP. Meanwhile a person purges, restores, merges, in every combination. */
class PeopleActWhileItIsAskedTest {

    enum Deed {
        MERGE(OperationState.UNRESOLVED),
        PURGE(OperationState.PURGED),
        PURGE_AND_RESTORE(OperationState.UNRESOLVED),
        PURGE_RESTORE_AND_MERGE(OperationState.UNRESOLVED),
        PURGE_30_DAYS_AGO(OperationState.PURGED);

        private final OperationState leaves;

        Deed(OperationState leaves) {
            this.leaves = leaves;
        }
    }

    enum Answer {
        SUCCESS(new Outcome.Charged("reference")),
        DECLINE(new Outcome.Declined("lost_card", "no", Optional.empty())),
        FAILURE(new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled")),
        UNKNOWN(new Outcome.Unknown(UnknownCause.PSP_ERROR, "still down", Optional.empty()));

        private final Outcome outcome;

        Answer(Outcome outcome) {
            this.outcome = outcome;
        }
    }

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String id;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void listed() {
        process = books.forget().process(psp);
        id = books.listedAsUnresolved(process, psp);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    static Stream<Arguments> pairs() {
        return Stream.of(Deed.values()).flatMap(deed -> Stream.of(Answer.values()).map(answer -> Arguments.of(deed, answer)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void what_the_psp_answers_is_recorded_and_the_money_agrees_with_it(Deed deed, Answer answer) {
        psp.answer = Optional.of(answer.outcome);
        psp.behind = () -> {
            act(deed);
            assertThat(books.state(id)).isEqualTo(deed.leaves);
        };
        Waiting.until(() -> process.resolver.runOnce() > 0);
        if (answer != Answer.UNKNOWN) {
            Waiting.until(() -> books.state(id) != OperationState.UNRESOLVED || process.resolver.runOnce() > 100);
        }
        OperationState left = answer == Answer.UNKNOWN || deed.leaves != OperationState.UNRESOLVED ? deed.leaves
                : answer == Answer.DECLINE ? OperationState.DECLINED : OperationState.SCHEDULED;
        assertThat(books.state(id)).isEqualTo(answer == Answer.SUCCESS ? OperationState.SUCCEEDED : left);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.succeeded_after_purge'"))
                .isEqualTo(answer == Answer.SUCCESS && deed.leaves == OperationState.PURGED ? 1 : 0);
        String attempt = switch (answer) {
            case SUCCESS -> "succeeded";
            case DECLINE, FAILURE -> "failed_definite";
            case UNKNOWN -> "unknown";
        };
        assertThat(books.count("FROM payment_attempt WHERE state = '%s'".formatted(attempt))).isEqualTo(1);
        boolean isListed = books.state(id) == OperationState.DEAD || books.state(id) == OperationState.UNRESOLVED;
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isEqualTo(isListed ? 1 : 0);
        assertThat(books.count("FROM dead_letter WHERE state = 'purged'")).isEqualTo(books.state(id) == OperationState.PURGED ? 1 : 0);
    }

    private void act(Deed deed) {
        switch (deed) {
            case MERGE -> ask();
            case PURGE -> purge();
            case PURGE_AND_RESTORE -> {
                purge();
                restore();
            }
            case PURGE_RESTORE_AND_MERGE -> {
                purge();
                restore();
                ask();
            }
            case PURGE_30_DAYS_AGO -> {
                purge();
                books.daysAfterPurges(31);
                assertThat(new EndedPurges(books.charging, books.topics, () -> {}).runOnce()).as("while it is asked").isZero();
            }
        }
    }

    /** As a merge does with a payment that may have been charged. */
    private void ask() {
        books.database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            boolean wasDead = operation.state() == OperationState.DEAD;
            operation.askNow(locked.now());
            OperationTable.save(connection, List.of(operation));
            return wasDead
                    && !DeadLetterTable.bury(connection, books.topics, List.of(DeadLetter.of(operation, "unresolved", "merged"))).isEmpty();
        });
    }

    /** As a purge that includes payments that may have been charged. */
    private void purge() {
        books.database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            operation.purge(locked.now());
            OperationTable.save(connection, List.of(operation));
            return DeadLetterTable.release(connection, books.topics, "purged", List.of(id));
        });
    }

    private void restore() {
        books.database.inTransaction(connection -> {
            Map<String, Operation> locked = OperationTable.lock(connection, List.of(id)).rows();
            locked.get(id).restore();
            OperationTable.save(connection, List.copyOf(locked.values()));
            return PurgedLetters.restore(connection, books.topics, List.of(id), locked,
                    (letter, revision) -> io.chargeonce.ledger.AuditLog.Entry.of("ann", "dlq.restored", locked.get(id), Optional.empty(),
                            Map.of("revision", revision)));
        });
    }
}
