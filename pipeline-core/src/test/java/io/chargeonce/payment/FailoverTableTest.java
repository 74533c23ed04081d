package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every result × every action, against the table as people write it. A new result or action without a cell fails. */
class FailoverTableTest {

    private static final String TABLE = """
            result             | SEND_AGAIN  | NEW_ATTEMPT_HERE    | ANOTHER_PSP
            CHARGED            | NO          | NO                  | NO
            NOT_SENT           | YES         | YES                 | YES
            RATE_LIMITED       | LATER       | YES                 | YES
            NOT_EXECUTED       | NO          | YES                 | YES
            SOFT_DECLINE       | NO          | WITHIN_RETRY_BUDGET | NO
            HARD_DECLINE       | NO          | NO                  | NO
            REFUSED_HERE       | NO          | NO                  | YES_WITH_ALERT
            ACTION_REQUIRED    | NO          | BY_CUSTOMER         | NO
            KEY_IN_USE         | LATER       | NO                  | NO
            MAYBE_EXECUTED     | BY_RESOLVER | NO                  | NO
            KEY_MISMATCH       | NO          | NO                  | NO
            CREDENTIAL_REFUSED | NO          | AFTER_THE_FIX       | YES
            REQUEST_REFUSED    | NO          | NO                  | NO
            """;

    @Test
    void every_cell_is_as_written() {
        List<String> cells = Arrays.stream(AttemptResult.values())
                .map(result -> Stream.concat(Stream.of(result.name()), Arrays.stream(FollowUp.values())
                        .map(next -> FailoverTable.may(result, next).name())).collect(Collectors.joining(" | ")))
                .toList();
        List<String> written = TABLE.lines().skip(1).map(line -> line.replaceAll(" +\\| +", " | ").strip()).toList();
        assertThat(cells).containsExactlyElementsOf(written);
        assertThat(TABLE.lines().findFirst().orElseThrow().split("\\|")).hasSize(1 + FollowUp.values().length);
    }

    @Test
    void whatever_may_have_moved_money_allows_no_new_attempt_anywhere() {
        for (Outcome outcome : everyOutcome()) {
            boolean mayHaveMoved = outcome instanceof Outcome.Charged || outcome instanceof Outcome.Unknown;
            boolean allows = Stream.of(FollowUp.NEW_ATTEMPT_HERE, FollowUp.ANOTHER_PSP)
                    .anyMatch(next -> FailoverTable.may(AttemptResult.of(outcome), next).allowsAnAttempt());
            assertThat(mayHaveMoved && allows).as("%s", outcome).isFalse();
        }
    }

    @Test
    void every_result_comes_of_some_outcome() {
        assertThat(everyOutcome().stream().map(AttemptResult::of).distinct()).containsExactlyInAnyOrder(AttemptResult.values());
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_describes_one_send(FailureCause cause) {
        var answer = new Outcome.Failed(cause, "as the PSP said");
        assertThat(OneSend.judge(answer, 0)).isEqualTo(answer);
        Outcome repeated = OneSend.judge(answer, 1);
        switch (cause.failureClass()) {
            case NOT_SENT, RATE_LIMITED, CONFIG, REFUSED_HERE, POISON -> assertThat(repeated).isInstanceOfSatisfying(Outcome.Unknown.class,
                    unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.ANOTHER_SEND));
            case RETRYABLE -> assertThat(repeated).isEqualTo(answer);
        }
    }

    private static List<Outcome> everyOutcome() {
        var all = new ArrayList<Outcome>();
        all.add(new Outcome.Charged("pi_1"));
        for (String code : List.of("insufficient_funds", "generic_decline", "lost_card", "incorrect_cvc", "duplicate_transaction")) {
            all.add(new Outcome.Declined(code, "no", Optional.empty()));
        }
        Arrays.stream(FailureCause.values()).forEach(cause -> all.add(new Outcome.Failed(cause, "")));
        Arrays.stream(UnknownCause.values()).forEach(cause -> all.add(new Outcome.Unknown(cause, "", Optional.empty())));
        return all;
    }
}
