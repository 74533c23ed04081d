// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.console.witness.RateBy;
import io.chargeonce.console.witness.RatePoint;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.query.PspStatus;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.ledger.Hold;
import io.chargeonce.text.Counted;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The first screen: is money stuck, how much, where, since when, and what comes next. */
public final class Overview {

    private static final Duration RATE_WINDOW = Duration.ofMinutes(5);
    /** A success this long ago, or none, is reported alike. */
    private static final Duration TOLD_FOR = Duration.ofDays(1);

    private final Topics topics;
    private final int tiers;
    private final WitnessView witness;

    public Overview(Topics topics, int tiers, WitnessView witness) {
        this.topics = topics;
        this.tiers = tiers;
        this.witness = witness;
    }

    private enum Verdict { QUIET, ATTENTION, STUCK, UNKNOWN }

    public Map<String, Object> of(Facts facts) {
        List<Advice> advice = Advices.of(facts, witness);
        Sum dead = facts.dead().total();
        OverdueSum overdue = witness.overdueSum();
        Sum stuck = overdue.money().stream().map(one -> Sum.ofRow(one.currency(), one.count(), one.amount())).reduce(dead, Sum::plus);
        Optional<Instant> since = Stream.of(facts.dead().moneySince(), Optional.ofNullable(overdue.oldestAt())).flatMap(Optional::stream)
                .min(Instant::compareTo);
        Verdict verdict = verdict(stuck, overdue, advice);
        var json = new LinkedHashMap<String, Object>();
        json.put("at", facts.watch().at().toString());
        json.put("verdict", verdict.name().toLowerCase(java.util.Locale.ROOT));
        json.put("headline", headline(verdict, dead, overdue, advice));
        json.put("stuck", MoneyJson.of(stuck));
        json.put("since", since.map(Instant::toString).orElse(null));
        json.put("advice", advice.stream().map(Advice::json).toList());
        json.put("dead", sum(dead.count(), MoneyJson.of(dead), facts.dead().since()));
        json.put("unresolved", sum(facts.unresolved().sum().count(), MoneyJson.of(facts.unresolved().sum()), facts.unresolved().oldest()));
        json.put("overdue", sum(overdue.count(), WitnessJson.money(overdue), Optional.ofNullable(overdue.oldestAt())));
        json.put("tiers", tiers(facts));
        json.put("psps", psps(facts.psps(), facts.holds(), facts.waiting()));
        json.put("flow", WitnessJson.stages(witness));
        json.put("witness", WitnessJson.progress(witness.progress()));
        return json;
    }

    /** Never says quiet while the witness does not see everything, or its books differ. */
    private Verdict verdict(Sum stuck, OverdueSum overdue, List<Advice> advice) {
        if (!stuck.money().isEmpty() || overdue.count() > 0) {
            return Verdict.STUCK;
        }
        if (stuck.count() > 0 || advice.stream().anyMatch(Advice::needsPerson)) {
            return Verdict.ATTENTION;
        }
        return seesEverything() && witness.stages().stream().allMatch(stage -> stage.differsSince() == null) ? Verdict.QUIET
                : Verdict.UNKNOWN;
    }

    private boolean seesEverything() {
        return witness.progress().state() == WitnessProgress.State.LIVE && witness.progress().problem().isEmpty();
    }

    private String headline(Verdict verdict, Sum dead, OverdueSum overdue, List<Advice> advice) {
        return switch (verdict) {
            case STUCK -> "Money is stuck: %s.".formatted(places(dead, overdue));
            case ATTENTION -> advice.stream().filter(Advice::needsPerson).findFirst().map(Advice::text)
                    .orElseGet(() -> "No money is stuck, but %s.".formatted(places(dead, overdue)));
            case QUIET -> "Nothing is stuck: the dead-letter queue is empty, nothing is late, and the books balance.";
            case UNKNOWN -> "The database shows nothing stuck, but the witness %s.".formatted(switch (witness.progress().state()) {
                case STARTING -> "is starting";
                case REBUILDING -> "is still reading: %.0f %%".formatted(witness.progress().percent());
                case LIVE -> seesEverything() ? "sees books that differ" : "does not see everything";
                case STOPPED -> "does not run";
            });
        };
    }

    /** Records that could not be read hold no money, and are named only where nothing else is in the queue. */
    private static String places(Sum dead, OverdueSum overdue) {
        var places = new ArrayList<String>();
        long records = dead.withoutMoney();
        if (dead.count() > records) {
            places.add("%s%s in the queue".formatted(Counted.of(dead.count() - records, "dead letter"),
                    (records > 0 ? " with money" : "") + (dead.count() - records == 1 ? " is" : " are")));
        } else if (records > 0) {
            places.add("%s in the queue".formatted(Counted.are(records, "unreadable record")));
        }
        if (overdue.count() > 0) {
            places.add("%s overdue".formatted(Counted.are(overdue.count(), "payment")));
        }
        return String.join(", and ", places);
    }

    private static Map<String, Object> sum(long count, List<Map<String, Object>> money, Optional<Instant> oldest) {
        var json = new LinkedHashMap<String, Object>();
        json.put("count", count);
        json.put("money", money);
        json.put("oldest_at", oldest.map(Instant::toString).orElse(null));
        return json;
    }

    private List<Map<String, Object>> tiers(Facts facts) {
        return IntStream.rangeClosed(1, tiers).mapToObj(tier -> {
            List<WaitingPayments.Group> groups = facts.waiting().stream().filter(group -> group.tier() == tier).toList();
            Sum sum = Facts.sum(groups.stream());
            var json = new LinkedHashMap<String, Object>();
            json.put("tier", tier);
            json.put("topic", topics.retry(tier));
            json.put("count", sum.count());
            json.put("money", MoneyJson.of(sum));
            json.put("next_due_at", groups.stream().map(WaitingPayments.Group::firstAt).min(Instant::compareTo).map(Instant::toString)
                    .orElse(null));
            json.put("late", facts.watch().tiers().stream().filter(one -> one.number() == tier).mapToLong(Watch.Tier::overdue).sum());
            json.put("held", facts.holdsTier(tier));
            return (Map<String, Object>) json;
        }).toList();
    }

    public List<Map<String, Object>> psps(List<PspStatus> psps, List<Hold> holds, List<WaitingPayments.Group> waiting) {
        List<RatePoint> rates = witness.rates(RateBy.PSP, RATE_WINDOW).points();
        return psps.stream().map(psp -> psp(psp, rates, holds, Facts.waitingFor(waiting, psp.psp()))).toList();
    }

    /** The rate is of what has ended, so what waits is told beside it: in an outage it is what the rate leaves out. */
    private static Map<String, Object> psp(PspStatus psp, List<RatePoint> rates, List<Hold> holds, Sum waiting) {
        Optional<Hold> hold = holds.stream().filter(one -> one.isOf(Hold.Kind.PSP, psp.psp())).findFirst();
        var json = new LinkedHashMap<String, Object>();
        json.put("psp", psp.psp());
        json.put("state",
                hold.map(one -> one.isPause() ? "held" : "forced").orElse(psp.isAbsent() ? "absent" : psp.isUnwell() ? "unwell" : "well"));
        json.put("since", hold.map(Hold::since).or(() -> psp.isAbsent() ? Optional.of(psp.told()) : psp.unwell()).map(Instant::toString)
                .orElse(null));
        long succeeded = rates.stream().filter(point -> point.key().equals(psp.psp())).mapToLong(RatePoint::succeeded).sum();
        long failed = rates.stream().filter(point -> point.key().equals(psp.psp())).mapToLong(RatePoint::failed).sum();
        json.put("success_rate", succeeded + failed == 0 ? null : (Object) ((double) succeeded / (succeeded + failed)));
        json.put("rate_of", succeeded + failed);
        json.put("waiting", Map.of("count", waiting.count(), "money", MoneyJson.of(waiting)));
        json.put("processes", psp.processes());
        json.put("breakers_open", psp.open());
        json.put("failed_in_a_row", psp.inARow());
        json.put("last_good_at", psp.good().filter(psp.told().minus(TOLD_FOR)::isBefore).map(Instant::toString).orElse(null));
        json.put("last_trouble_at", psp.trouble().map(Instant::toString).orElse(null));
        return json;
    }
}
