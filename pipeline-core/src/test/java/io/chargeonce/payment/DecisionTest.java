// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of docs/after-an-outcome.md and the function agree for every outcome in every situation. */
class DecisionTest {

    private record Row(String outcome, String condition, String step, String elsewhere, String nextPsp) {}

    private record Case(Outcome outcome, Situation at, RetrySchedule schedule) {

        NextStep step() {
            return Decision.after(outcome, at, schedule);
        }
    }

    private static final String LEAVE = "leave this PSP, ";
    private static final Pattern TAG = Pattern.compile("`(\\w+)`");

    private static final Map<String, Predicate<Case>> CONDITIONS = Map.ofEntries(
            Map.entry("", one -> true),
            Map.entry("the attempt is known to have captured", one -> one.at.capturedAs().isPresent()),
            Map.entry("the attempt is known to have failed", one -> one.at.failedAlready()),
            Map.entry("an earlier attempt captured", one -> one.at.anotherCaptured()),
            Map.entry("to be canceled", one -> one.at.canceling()),
            Map.entry("purged", one -> one.at.purged()),
            Map.entry("may be presented again, first time", presentedAgain(0)),
            Map.entry("may be presented again, second time", presentedAgain(1)),
            Map.entry("may be presented again, third time", presentedAgain(2)),
            Map.entry("may be presented again, fourth time", presentedAgain(3)),
            Map.entry("the PSP failed for others too", one -> !one.at.pspWellForOthers()),
            Map.entry("a tier is left", one -> one.at.progress().countedAttempts() < one.schedule.tiers().size()));

    private static Predicate<Case> presentedAgain(int times) {
        return one -> one.at.kind() == OperationKind.CHARGE && one.at.represented() == times;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void the_table_in_the_docs_is_the_function(int tiers) {
        List<Row> table = table();
        Set<Row> deciding = new HashSet<>();
        everyCase(tiers).forEach(one -> {
            Row row = table.stream().filter(candidate -> fits(candidate, one)).findFirst()
                    .orElseThrow(() -> new AssertionError("no row fits " + one));
            deciding.add(row);
            String step = inWords(one.step());
            String written = row.elsewhere.equals("yes") && maySkipTheWait(one) ? elsewhereFirst(row.step)
                    : row.elsewhere.equals("if granted") && maySkipTheWait(one) && mayFailOver(one.outcome)
                            ? "elsewhere if granted, else " + row.step : row.step;
            if (!step.equals(written)) {
                assertThat(step).as("%s in %s", one, row).isEqualTo(written);
            }
        });
        assertThat(table).allMatch(deciding::contains);
    }

    private static String elsewhereFirst(String step) {
        return step.startsWith(LEAVE) ? LEAVE + "elsewhere, else " + step.substring(LEAVE.length()) : "elsewhere, else " + step;
    }

    private static boolean maySkipTheWait(Case one) {
        return one.at.canGoOn() && one.at.kind() == OperationKind.CHARGE && one.at.represented() == 0;
    }

    private static boolean mayFailOver(Outcome outcome) {
        return outcome instanceof Outcome.Declined declined && declined.failover() != DeclineFailover.NEVER;
    }

    @Test
    void the_next_psp_is_as_written() {
        for (FailureCause cause : FailureCause.values()) {
            List<String> written = table().stream().filter(row -> tags(row).contains(cause.tag())).map(Row::nextPsp).distinct().toList();
            assertThat(written).as(cause.tag()).containsExactly(switch (Decision.nextPsp(cause)) {
                case ANY -> "any PSP";
                case THIS -> "this PSP";
                case ANOTHER -> "another PSP";
                case NONE -> "–";
            });
        }
    }

    @Test
    void what_may_have_moved_money_gets_no_new_attempt_anywhere() {
        everyCase(3).filter(one -> one.outcome instanceof Outcome.Charged || one.outcome instanceof Outcome.Unknown
                || one.at.capturedAs().isPresent() || one.at.anotherCaptured())
                .forEach(one -> {
                    if (!(one.step() instanceof NextStep.SettleSucceeded || one.step() instanceof NextStep.Resolve
                            || one.step() instanceof NextStep.SettleByEarlierCapture)) {
                        assertThat(one.step()).as("%s", one).isNull();
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"insufficient_funds,0,3", "insufficient_funds,1,3", "issuer_not_available,0,1", "issuer_not_available,3,7",
        "issuer_not_available,4,", "do_not_honor,0,1", "do_not_honor,1,", "lost_card,0,"})
    void pauses_follow_the_decline_and_end(String code, int represented, Integer days) {
        var declined = new Outcome.Declined(code, "no", Optional.empty());
        var settle = new NextStep.SettleDeclined(declined);
        var at = new Situation(OperationKind.CHARGE, new Progress(0, 0), represented, false, false, true, Optional.empty(), false, false,
                false);
        assertThat(Decision.after(declined, at, schedule(3))).isEqualTo(days == null ? settle
                : new NextStep.PresentAgainIfGranted(Duration.ofDays(days), 15, settle));
    }

    @Test
    void each_counted_failure_waits_in_the_next_tier_and_after_the_last_it_is_dead() {
        RetrySchedule schedule = schedule(5);
        var failed = new Outcome.Failed(FailureCause.PSP_UNWELL, "");
        for (int counted = 0; counted < 5; counted++) {
            assertThat(Decision.after(failed, failedWith(counted, counted), schedule))
                    .isEqualTo(new NextStep.RetryLater(schedule.tiers().get(counted), failed));
        }
        assertThat(Decision.after(failed, failedWith(5, 5), schedule)).isEqualTo(new NextStep.DeadLetter(failed));
    }

    @Test
    void parking_climbs_to_the_longest_tier_and_stays_there() {
        RetrySchedule schedule = schedule(2);
        var failed = new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "");
        assertThat(Stream.of(0, 1, 2).map(tier -> Decision.after(failed, failedWith(0, tier), schedule))).containsExactly(
                new NextStep.Park(schedule.tiers().get(0), failed), new NextStep.Park(schedule.tiers().get(1), failed),
                new NextStep.Park(schedule.tiers().get(1), failed));
    }

    private static Situation failedWith(int counted, int tier) {
        return new Situation(OperationKind.CHARGE, new Progress(counted, tier), 0, false, false, true, Optional.empty(), false, false,
                false);
    }

    private static RetrySchedule schedule(int tiers) {
        return RetrySchedule.of(Collections.nCopies(tiers, Duration.ofSeconds(1)));
    }

    private static boolean fits(Row row, Case one) {
        Predicate<Case> condition = CONDITIONS.get(row.condition);
        assertThat(condition).as("the test knows the words '%s'", row.condition).isNotNull();
        return isOf(row, one.outcome) && condition.test(one);
    }

    private static boolean isOf(Row row, Outcome outcome) {
        if (row.outcome.equals("any")) {
            return true;
        }
        return switch (outcome) {
            case Outcome.Charged charged -> row.outcome.equals("charged");
            case Outcome.Unknown unknown -> row.outcome.equals("unknown");
            case Outcome.Failed failed -> row.outcome.equals("declined or failed") || tags(row).contains(failed.cause().tag());
            case Outcome.Declined declined -> row.outcome.equals("declined or failed") || row.outcome.equals("declined")
                    || row.outcome.startsWith("declined: ") && isOf(row.outcome.substring("declined: ".length()), declined);
        };
    }

    private static boolean isOf(String kinds, Outcome.Declined declined) {
        return kinds.equals("`" + declined.code() + "`") && declined.kind() == DeclineKind.SOFT
                || Arrays.asList(kinds.split(", ")).contains(declined.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    private static List<String> tags(Row row) {
        return row.outcome.startsWith("declined") ? List.of() : TAG.matcher(row.outcome).results().map(found -> found.group(1)).toList();
    }

    private static String inWords(NextStep step) {
        return switch (step) {
            case NextStep.SettleSucceeded end -> "settle as succeeded";
            case NextStep.SettleByEarlierCapture end -> "settle by the earlier capture";
            case NextStep.SettleDeclined end -> "settle as declined";
            case NextStep.Cancel end -> "cancel";
            case NextStep.StayPurged end -> "stay purged";
            case NextStep.DeadLetter end -> "dead letter";
            case NextStep.Resolve ask -> ask.atOnce() ? "query the PSP at once" : "query the PSP on the ladder";
            case NextStep.RetryLater retry -> "wait in the next tier, counted";
            case NextStep.Park park -> "park";
            case NextStep.PresentAgainIfGranted again -> "present again in %s if granted, else %s".formatted(
                    again.pause().toDays() == 1 ? "1 day" : again.pause().toDays() + " days", inWords(again.otherwise()));
            case NextStep.PresentElsewhereIfGranted first -> "elsewhere if granted, else " + inWords(first.otherwise());
            case NextStep.ElsewhereIfWell first -> "elsewhere, else " + inWords(first.otherwise());
            case NextStep.LeavePsp leave -> LEAVE + inWords(leave.then());
        };
    }

    private static List<Row> table() {
        try (Stream<String> lines = Files.lines(Path.of("..", "docs", "after-an-outcome.md"))) {
            List<Row> rows = lines.filter(line -> line.startsWith("| ")).skip(2).map(line -> {
                List<String> cells = Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList();
                assertThat(cells).as(line).hasSize(5);
                return new Row(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
            }).toList();
            assertThat(rows).doesNotHaveDuplicates().hasSizeGreaterThan(10);
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Case> everyCase(int tiers) {
        RetrySchedule schedule = schedule(tiers);
        List<Situation> situations = everySituation(tiers);
        return everyOutcome().stream().flatMap(outcome -> situations.stream().map(at -> new Case(outcome, at, schedule)));
    }

    private static List<Outcome> everyOutcome() {
        var all = new ArrayList<Outcome>();
        all.add(new Outcome.Charged("pi_1"));
        for (String code : List.of("insufficient_funds", "try_again_later", "generic_decline", "lost_card", "incorrect_cvc",
                "duplicate_transaction", "a_new_code")) {
            all.add(new Outcome.Declined(code, "no", Optional.empty()));
            all.add(new Outcome.Declined(code, "no", Optional.empty(),
                    new DeclineAdvice(Optional.of("do_not_try_again"), Optional.empty())));
        }
        Arrays.stream(FailureCause.values()).forEach(cause -> all.add(new Outcome.Failed(cause, "")));
        Arrays.stream(UnknownCause.values()).forEach(cause -> all.add(new Outcome.Unknown(cause, "", Optional.empty())));
        return all;
    }

    private static List<Situation> everySituation(int tiers) {
        var all = new ArrayList<Situation>();
        for (OperationKind kind : OperationKind.values()) {
            for (int counted = 0; counted <= tiers + 1; counted++) {
                for (int represented = 0; represented <= 5; represented++) {
                    for (int known = 0; known < 3; known++) {
                        for (int flags = 0; flags < 32; flags++) {
                            all.add(new Situation(kind, new Progress(counted, counted), represented, (flags & 1) > 0, (flags & 16) > 0,
                                    (flags & 2) > 0,
                                    known == 1 ? Optional.of("pi_1") : Optional.empty(), known == 2, (flags & 4) > 0, (flags & 8) > 0));
                        }
                    }
                }
            }
        }
        return all;
    }
}
