// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.console.overview.Advice.Severity;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.Progress;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.RunState;
import io.chargeonce.dlq.merge.Watch;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.PspHealth;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.terminal.screen.Ages;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a person should do next, the most urgent first. */
final class Advices {

    private static final int MOST_CAUSES = 5;
    private static final int MOST_RUNS = 5;
    private static final Duration LATE = Duration.ofMinutes(1);
    private static final Duration SOON = Duration.ofHours(2);

    private final Facts facts;
    private final WitnessView witness;
    private final List<Advice> all = new ArrayList<>();

    private Advices(Facts facts, WitnessView witness) {
        this.facts = facts;
        this.witness = witness;
    }

    static List<Advice> of(Facts facts, WitnessView witness) {
        var advices = new Advices(facts, witness);
        advices.witness();
        advices.psps();
        advices.causes();
        advices.tiers();
        advices.runs();
        advices.all.sort(Comparator.comparing(Advice::severity).reversed());
        return List.copyOf(advices.all);
    }

    private void add(Severity severity, String text, String link, String command) {
        all.add(new Advice(severity, text, link, command));
    }

    private void witness() {
        OverdueSum overdue = witness.overdueSum();
        if (overdue.count() > 0) {
            String first = witness.overdue(1).stream().findFirst().map(one -> "chargeonce dlq why " + one.paymentId())
                    .orElse("chargeonce dlq verify");
            add(Severity.CRITICAL,
                    "%,d payments gave no sign within their time. The sweeper stages a lost record again; find out why it was lost."
                            .formatted(overdue.count()),
                    "/overdue", first);
        }
        List<Stage> differ = witness.stages().stream().filter(stage -> stage.differsSince() != null).toList();
        if (witness.progress().state() == Progress.State.LIVE && !differ.isEmpty()) {
            Stage stage = differ.getFirst();
            add(Severity.CRITICAL,
                    "The books do not balance at %s: %,d records in %s are neither out nor in flight.".formatted(stage.name(),
                            stage.difference(), stage.currency()),
                    "/conservation", "chargeonce dlq verify");
        }
        if (!witness.progress().problem().isEmpty()) {
            add(Severity.WARNING, "The witness does not see everything: " + witness.progress().problem(), "/conservation",
                    "chargeonce console --help");
        }
    }

    private void psps() {
        for (PspHealth psp : facts.psps()) {
            if (psp.isUnwell()) {
                add(Severity.WARNING,
                        "%s is unwell: its breaker is open in %d of %d processes. Payments wait or go elsewhere, and cost no attempt."
                                .formatted(psp.psp(), psp.open(), psp.processes()),
                        "/psps", "chargeonce dlq watch");
            } else if (psp.isAbsent()) {
                add(Severity.WARNING, "%s is set up in no running process. What only it takes waits until it is.".formatted(psp.psp()),
                        "/psps", "chargeonce dlq summary");
            }
        }
    }

    private void causes() {
        Map<String, List<Summary.Group>> byCause = facts.dead().groups().stream()
                .collect(Collectors.groupingBy(Summary.Group::cause, TreeMap::new, Collectors.toList()));
        byCause.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, List<Summary.Group>> cause) -> -count(cause.getValue())))
                .limit(MOST_CAUSES).forEach(cause -> cause(cause.getKey(), cause.getValue()));
    }

    private static long count(List<Summary.Group> groups) {
        return groups.stream().mapToLong(group -> group.sum().count()).sum();
    }

    private static Sum of(List<Summary.Group> groups, MoneyStatus standing) {
        return groups.stream().map(group -> group.standings().of(standing)).reduce(Sum.NOTHING, Sum::plus);
    }

    private void cause(String cause, List<Summary.Group> groups) {
        String link = "/dead-letters?cause=" + URLEncoder.encode(cause, StandardCharsets.UTF_8);
        String merge = "chargeonce dlq merge --cause " + quoted(cause);
        Sum safe = of(groups, MoneyStatus.RECHARGEABLE).plus(of(groups, MoneyStatus.PAST_DEADLINE));
        Set<String> unwell = facts.psps().stream().filter(PspHealth::isUnwell).map(PspHealth::psp).collect(Collectors.toSet());
        boolean waits = groups.stream().anyMatch(group -> group.psp().filter(unwell::contains).isPresent());
        if (safe.count() > 0) {
            add(Severity.WARNING, "%s died of %s, and another attempt is safe. %s".formatted(amount(safe), cause,
                    waits ? "Merge them once their PSP is well again." : "Merge them once the cause is gone."), link, merge);
        }
        Sum charged = of(groups, MoneyStatus.CHARGED);
        if (charged.count() > 0) {
            add(Severity.WARNING, "%s are dead although the money was taken. A merge settles them and charges nothing.".formatted(
                    amount(charged)), link + "&standing=charged", merge + " --standing charged");
        }
        unresolved(cause, groups, link);
        Sum person = of(groups, MoneyStatus.NEEDS_A_PERSON);
        if (person.count() > 0) {
            add(Severity.WARNING, "%s were merged too often and died each time. Find out why before you merge them by name."
                    .formatted(amount(person)), link + "&standing=needs_a_person", "chargeonce dlq list --standing needs_a_person");
        }
        Sum poison = of(groups, MoneyStatus.POISON);
        if (poison.count() > 0) {
            add(Severity.INFO, "%,d records could not be read (%s). Look at them; edit what can be mended, and purge the rest."
                    .formatted(poison.count(), cause), link + "&standing=poison",
                    "chargeonce dlq list --standing poison --cause " + quoted(cause));
        }
        Sum mended = of(groups, MoneyStatus.MENDED);
        if (mended.count() > 0) {
            add(Severity.INFO, "%,d edited records wait to be sent again.".formatted(mended.count()), link + "&standing=mended",
                    "chargeonce dlq merge --standing mended");
        }
    }

    private void unresolved(String cause, List<Summary.Group> groups, String link) {
        Sum unresolved = of(groups, MoneyStatus.UNRESOLVED);
        if (unresolved.count() == 0) {
            return;
        }
        boolean soon = groups.stream().flatMap(group -> group.keyValidUntil().stream())
                .anyMatch(until -> until.isBefore(facts.watch().at().plus(SOON)));
        add(soon ? Severity.CRITICAL : Severity.WARNING, "%s may have been charged (%s). The resolver asks the PSP%s.".formatted(
                amount(unresolved), cause, soon ? "; the PSP forgets the first key within two hours" : ""), link + "&standing=unresolved",
                "chargeonce dlq list --standing unresolved");
    }

    private void tiers() {
        for (Watch.Tier tier : facts.watch().tiers()) {
            if (tier.overdue() > 0 && tier.longest().compareTo(LATE) >= 0) {
                String name = tier.number() == 0 ? "the main topic" : "retry-" + tier.number();
                add(Severity.WARNING, "%,d payments in %s are late, the first by %s. Are its consumers running?".formatted(tier.overdue(),
                        name, Ages.brief(tier.longest())), tier.number() == 0 ? "/waiting" : "/waiting?tier=" + tier.number(),
                        tier.number() == 0 ? "chargeonce dlq watch" : "chargeonce dlq waiting --tier " + tier.number());
            }
        }
    }

    private void runs() {
        facts.runs().stream().filter(run -> run.state() == RunState.ABORTED || run.state() == RunState.RUNNING && !run.isLed()
                || run.state() == RunState.PLANNED && run.awaitsApproval()).limit(MOST_RUNS).forEach(this::run);
    }

    private void run(MergeRun run) {
        String link = "/runs/" + run.id();
        String show = "chargeonce dlq runs show " + run.id();
        if (run.state() == RunState.ABORTED) {
            add(Severity.WARNING, "%s stopped itself: %s. Resume it once that is mended, or cancel it.".formatted(run.id(),
                    run.verdict().orElse("too many failed again")), link, show);
        } else if (run.state() == RunState.RUNNING) {
            add(Severity.WARNING, "%s was stopped, or its leader was killed. Resume it, or cancel it.".formatted(run.id()), link,
                    "chargeonce dlq %s --resume %s".formatted(run.kind().tag(), run.id()));
        } else {
            add(Severity.INFO, "%s by %s waits for another person's approval.".formatted(run.id(), run.plannedBy()), link,
                    "chargeonce dlq approve " + run.id());
        }
    }

    private static String amount(Sum sum) {
        return sum.money().isEmpty() ? "%,d dead letters".formatted(sum.count())
                : "%,d dead letters with %s".formatted(sum.count(), String.join(", ", sum.moneyLines()));
    }

    private static String quoted(String cause) {
        return cause.matches("[A-Za-z0-9_.-]+") ? cause : "'" + cause.replace("'", "'\\''") + "'";
    }
}
