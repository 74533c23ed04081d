// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.story.AuditTrail;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RunAuditTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void each_time_that_a_run_was_led_and_stopped_itself_is_a_line_of_the_audit_log_with_what_failed_by_then() {
        rows.dead(20);
        RunLeader first = lead(planned());
        first.runOnce();
        rows.fail(rows.accepted().getFirst(), "still unwell");
        assertThat(first.runOnce()).isInstanceOf(RunStep.Aborted.class);
        rows.accepted().forEach(rows::succeed);
        RunLeader second = lead(first.led());
        second.runOnce();
        rows.accepted().subList(0, 2).forEach(id -> rows.fail(id, "still unwell"));
        assertThat(second.runOnce()).isEqualTo(new RunStep.Aborted("2 of the canary's 5 sent since it was resumed failed again"));
        assertThat(second.progress().outcomes().failedAgain()).as("those of before too").isEqualTo(Sum.ofRow("EUR", 3, 3 * 1299));
        var everything = new AuditTrail.Criteria(Optional.empty(), Optional.empty(), Optional.of(first.led().id()), Duration.ofDays(1));
        List<AuditTrail.Line> lines = AuditTrail.ask(rows.queue(), everything);
        assertThat(lines).extracting(line -> "%s %d %s".formatted(line.action(), line.sum().count(), line.sum().money()))
                .containsExactly("dlq.run.planned 20 {EUR=25980}", "dlq.run.led 20 {EUR=25980}", "dlq.merged 5 {EUR=6495}",
                        "dlq.run.aborted 1 {EUR=1299}", "dlq.run.led 15 {EUR=19485}", "dlq.merged 5 {EUR=6495}",
                        "dlq.run.aborted 2 {EUR=2598}");
        assertThat(lines).extracting(AuditTrail.Line::from).isSorted().doesNotHaveDuplicates();
        assertThat(AuditTrail.ask(rows.queue(), new AuditTrail.Criteria(Optional.empty(), Optional.of("dlq.merged"), Optional.empty(),
                Duration.ofDays(1)))).as("asked for alone, too").hasSize(2);
    }

    private static DlqRun planned() {
        var terms = new RunTerms(OptionalInt.of(5), OptionalInt.empty(), OptionalInt.empty(), 10, false);
        return new DlqRuns(rows.queue()).plan(RunKind.MERGE, Plan.of(rows.queue(), DeadLetterFilter.everything()).selection(),
                AuditContext.of("ann", Optional.of("a test")), terms);
    }

    private static RunLeader lead(DlqRun run) {
        return new DlqRuns(rows.queue()).take(new AuditContext("bob", Optional.of("a test"), run.id()), InstantSource.system(),
                progress -> {}).orElseThrow();
    }
}
