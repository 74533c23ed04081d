// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.console.overview.Advice.About;
import io.chargeonce.console.overview.Advice.Severity;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.RunState;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.PspStatus;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Counted;
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

/** What a person should know and do next: what people hold first, then the most urgent. */
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
        advices.records();
        advices.tiers();
        advices.holds();
        advices.runs();
        advices.all.sort(Comparator.comparing(Advice::severity).reversed());
        return List.copyOf(advices.all);
    }

    private void add(Severity severity, String text, String link, String command) {
        all.add(new Advice(About.PIPELINE, severity, text, link, command));
    }

    private void witness() {
        OverdueSum overdue = witness.overdueSum();
        if (overdue.count() > 0) {
            String first = witness.overdue(1).stream().findFirst().map(one -> "chargeonce dlq why " + one.paymentId())
                    .orElse("chargeonce dlq verify");
            add(Severity.CRITICAL,
                    "%s overdue: accepted, but neither settled, waiting nor dead in time. The sweeper stages a lost record again; "
                            .concat("find out why it was lost.")
                            .formatted(Counted.are(overdue.count(), "payment")),
                    "/overdue", first);
        }
        List<Stage> differ = witness.stages().stream().filter(stage -> stage.differsSince() != null).toList();
        if (witness.progress().state() == WitnessProgress.State.LIVE && !differ.isEmpty()) {
            Stage stage = differ.getFirst();
            add(Severity.CRITICAL,
                    "The books do not balance at %s: %s in %s %s neither out nor in flight.".formatted(stage.name(),
                            Counted.of(stage.difference(), "record"), stage.currency(), stage.difference() == 1 ? "is" : "are"),
                    "/conservation", "chargeonce dlq verify");
        }
        if (!witness.progress().problem().isEmpty()) {
            all.add(new Advice(About.WITNESS, Severity.WARNING, "The witness does not see everything: " + witness.progress().problem(),
                    "/conservation", "chargeonce console --help"));
        }
    }

    private void psps() {
        for (PspStatus psp : facts.psps()) {
            if (psp.isUnwell()) {
                add(Severity.WARNING,
                        "%s is unwell: its breaker is open in %d of %s. Payments wait or go elsewhere, and cost no attempt."
                                .formatted(psp.psp(), psp.open(), Counted.of(psp.processes(), "process", "processes")),
                        "/psps", "chargeonce dlq watch");
            } else if (psp.isAbsent()) {
                add(Severity.WARNING, "%s is set up in no running process. What only it takes waits until it is.".formatted(psp.psp()),
                        "/psps", "chargeonce dlq summary");
            }
        }
    }

    /** The most money first. What may have been charged is told of every cause, for it may be urgent. */
    private void causes() {
        Map<String, List<Summary.Group>> byCause = facts.dead().groups().stream().filter(group -> !group.sum().money().isEmpty())
                .collect(Collectors.groupingBy(Summary.Group::cause, TreeMap::new, Collectors.toList()));
        byCause.forEach(this::unresolved);
        byCause.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, List<Summary.Group>> cause) -> sum(cause.getValue()), Sum.MOST_MONEY_FIRST))
                .limit(MOST_CAUSES).forEach(cause -> cause(cause.getKey(), cause.getValue()));
    }

    private static Sum sum(List<Summary.Group> groups) {
        return groups.stream().map(Summary.Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }

    private static Sum of(List<Summary.Group> groups, MoneyStatus standing) {
        return groups.stream().map(group -> group.standings().of(standing)).reduce(Sum.NOTHING, Sum::plus);
    }

    private static String link(String cause) {
        return "/dead-letters?cause=" + URLEncoder.encode(cause, StandardCharsets.UTF_8);
    }

    private void cause(String cause, List<Summary.Group> groups) {
        String link = link(cause);
        String merge = "chargeonce dlq merge --cause " + quoted(cause);
        Sum safe = of(groups, MoneyStatus.RECHARGEABLE).plus(of(groups, MoneyStatus.PAST_DEADLINE));
        Set<String> unwell = facts.psps().stream().filter(PspStatus::isUnwell).map(PspStatus::psp).collect(Collectors.toSet());
        boolean waits = groups.stream().anyMatch(group -> group.psp().filter(unwell::contains).isPresent());
        if (safe.count() > 0) {
            add(Severity.WARNING, "%s (%s): another attempt is safe. %s".formatted(amount(safe), words(cause),
                    waits ? "Merge when the PSP is well again." : "Merge when the cause is gone."), link, merge);
        }
        Sum charged = of(groups, MoneyStatus.CHARGED);
        if (charged.count() > 0) {
            add(Severity.WARNING, "The money was taken for %s. After a merge the resolver settles it, and nothing is charged.".formatted(
                    amount(charged)), link + "&standing=charged", merge + " --standing charged");
        }
        Sum person = of(groups, MoneyStatus.NEEDS_A_PERSON);
        if (person.count() > 0) {
            add(Severity.WARNING, "A merge leaves %s: merged too often, and dead each time. Find out why before you merge by name."
                    .formatted(amount(person)), link + "&standing=needs_a_person", "chargeonce dlq list --standing needs_a_person");
        }
        Sum stopped = of(groups, MoneyStatus.STOPPED);
        if (stopped.count() > 0) {
            add(Severity.INFO, "A person stopped %s on purpose. A merge takes only what is named by id or by this cause; a purge ends it."
                    .formatted(amount(stopped)), link + "&standing=stopped", "chargeonce dlq list --standing stopped");
        }
    }

    /** What has no money, of all causes together. */
    private void records() {
        Sum poison = of(facts.dead().groups(), MoneyStatus.POISON);
        if (poison.count() > 0) {
            add(Severity.INFO, "The pipeline could not read %s. Edit what can be mended, and purge the rest."
                    .formatted(Counted.of(poison.count(), "record")), "/dead-letters?standing=poison",
                    "chargeonce dlq list --standing poison");
        }
        Sum mended = of(facts.dead().groups(), MoneyStatus.MENDED);
        if (mended.count() > 0) {
            add(Severity.INFO, "A merge sends %s again.".formatted(Counted.of(mended.count(), "edited record")),
                    "/dead-letters?standing=mended", "chargeonce dlq merge --standing mended");
        }
        Sum foreign = of(facts.dead().groups(), MoneyStatus.FOREIGN);
        if (foreign.count() > 0) {
            add(Severity.INFO, "A merge sends %s of other systems back.".formatted(Counted.of(foreign.count(), "record")),
                    "/dead-letters?standing=foreign", "chargeonce dlq merge --standing foreign");
        }
        Sum aimless = of(facts.dead().groups(), MoneyStatus.NO_TARGET);
        if (aimless.count() > 0) {
            add(Severity.INFO, "%s of other systems %s no topic to go back to. Look at them, and purge them."
                    .formatted(Counted.of(aimless.count(), "record"), aimless.count() == 1 ? "names" : "name"),
                    "/dead-letters?standing=no_target", "chargeonce dlq list --standing no_target");
        }
    }

    private void unresolved(String cause, List<Summary.Group> groups) {
        Sum unresolved = of(groups, MoneyStatus.UNRESOLVED);
        if (unresolved.count() == 0) {
            return;
        }
        boolean soon = groups.stream().flatMap(group -> group.keyValidUntil().stream())
                .anyMatch(until -> until.isBefore(facts.watch().at().plus(SOON)));
        long forgotten = groups.stream().mapToLong(Summary.Group::keysForgotten).sum();
        add(soon ? Severity.CRITICAL : Severity.WARNING, "%s may have been charged (%s). The resolver asks the PSP%s%s.".formatted(
                amount(unresolved), words(cause), soon ? "; the PSP forgets the next key within two hours" : "",
                forgotten == 0 ? "" : ", and %s forgotten already".formatted(Counted.are(forgotten, "key"))),
                link(cause) + "&standing=unresolved",
                "chargeonce dlq list --standing unresolved");
    }

    private void tiers() {
        for (Watch.Tier tier : facts.watch().tiers()) {
            // A tier that a person has paused is told of with what is paused.
            if (tier.overdue() > 0 && tier.longest().compareTo(LATE) >= 0 && !facts.holdsTier(tier.number())) {
                String name = tier.number() == 0 ? "the main topic" : "retry-" + tier.number();
                add(Severity.WARNING, "%s late in %s, the first by %s. Check that the retry consumers run.".formatted(
                        Counted.are(tier.overdue(), "payment"), name, Ages.brief(tier.longest())),
                        tier.number() == 0 ? "/waiting" : "/waiting?tier=" + tier.number(),
                        tier.number() == 0 ? "chargeonce dlq watch" : "chargeonce dlq waiting --tier " + tier.number());
            }
        }
    }

    private void holds() {
        for (Hold hold : facts.holds()) {
            Sum waits = facts.waitingFor(hold);
            add(Severity.HELD, Words.of(hold) + (waits.count() == 0 ? "" : ". %s with %s %s for it.".formatted(
                    Counted.of(waits.count(), "payment"), String.join(", ", waits.moneyLines()), waits.count() == 1 ? "waits" : "wait")),
                    "/psps", "chargeonce dlq resume %s %s --reason TEXT --yes".formatted(hold.kind().tag(), hold.name()));
        }
    }

    private void runs() {
        facts.runs().stream().filter(run -> run.state() == RunState.ABORTED || run.state() == RunState.RUNNING && !run.isLed()
                || run.state() == RunState.PLANNED && run.awaitsApproval()).limit(MOST_RUNS).forEach(this::run);
    }

    private void run(DlqRun run) {
        String link = "/runs/" + run.id();
        String show = "chargeonce dlq runs show " + run.id();
        if (run.state() == RunState.ABORTED) {
            add(Severity.WARNING, "%s aborted itself: %s. Resume it when the cause is gone, or cancel it.".formatted(run.id(),
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
        String letters = Counted.of(sum.count(), "dead letter");
        return sum.money().isEmpty() ? letters : "%s with %s".formatted(letters, String.join(", ", sum.moneyLines()));
    }

    /** A cause as the page writes it. */
    private static String words(String cause) {
        return cause.replace('_', ' ');
    }

    private static String quoted(String cause) {
        return cause.matches("[A-Za-z0-9_.-]+") ? cause : "'" + cause.replace("'", "'\\''") + "'";
    }
}
