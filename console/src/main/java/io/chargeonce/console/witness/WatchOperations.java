// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Board.Sighting;
import io.chargeonce.console.witness.Books.Line;
import io.chargeonce.console.witness.Books.Row;
import io.chargeonce.console.witness.OffsetEvidence.Standing;
import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.ObservedOperation.News;
import io.chargeonce.console.witness.ObservedOperation.Whereabouts;
import io.chargeonce.console.witness.ObservedOperationBytes.Glance;
import io.chargeonce.wire.TopicPlan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Follows the operations of one part: it keeps their books, and looks at all that are open again and again for those that are overdue. One
 * thread.
 */
final class WatchOperations implements Processor<String, Fact, String, OverdueEvent> {

    static final String OPEN = "open";
    static final String ENDED = "ended";
    static final String JOURNEYS = "journeys";
    static final String BOOKS = "books";
    static final String RECENT = "recent";
    static final String COUNTS = "counts";

    /** A record that is older when it is first read may be alone: the topics no longer have those that followed it. */
    private static final long TOO_OLD = TopicPlan.RETENTION.minus(Duration.ofDays(1)).toMillis();
    /** Looks take at most a twentieth of the thread's time. */
    private static final int REST = 20;
    private static final int MOST_EVENTS = 500;

    private final WitnessPlan plan;
    private final OffsetEvidence evidence;
    private final Board board;
    private final String source;
    private ProcessorContext<String, OverdueEvent> context;
    private KeyValueStore<String, byte[]> open;
    private WindowStore<String, byte[]> ended;
    private WindowStore<String, byte[]> journeys;
    private KeyValueStore<String, byte[]> counts;
    private Books books;
    private Recent recent;
    private long openCount;
    private long nextLook;
    /** The age of the youngest record since the last look, by this host's clock; {@link Long#MAX_VALUE} if there was none. */
    private long youngest = Long.MAX_VALUE;

    /** @param source of this installation's events */
    WatchOperations(WitnessPlan plan, OffsetEvidence evidence, Board board, String source) {
        this.plan = plan;
        this.evidence = evidence;
        this.board = board;
        this.source = source;
    }

    @Override
    public void init(ProcessorContext<String, OverdueEvent> newContext) {
        context = newContext;
        open = context.getStateStore(OPEN);
        ended = context.getStateStore(ENDED);
        journeys = context.getStateStore(JOURNEYS);
        counts = context.getStateStore(COUNTS);
        books = new Books(context.getStateStore(BOOKS));
        recent = new Recent(context.getStateStore(RECENT));
        // Streams call this again when a part's stores were rebuilt.
        openCount = 0;
        nextLook = 0;
        try (var all = open.all()) {
            while (all.hasNext()) {
                var each = all.next();
                openCount++;
                board.refute(ObservedOperationBytes.read(each.key, each.value));
            }
        }
        context.schedule(plan.look(), PunctuationType.WALL_CLOCK_TIME, this::look);
    }

    @Override
    public void process(Record<String, Fact> record) {
        Fact fact = record.value();
        switch (fact) {
            case Fact.Unreadable unreadable -> count("unreadable", 1, record.timestamp());
            case Fact.Missed missed -> count("missed", missed.count(), record.timestamp());
            case Fact.Work work -> follow(record.key(), work, record.timestamp());
            case Fact.Waits waits -> follow(record.key(), waits, record.timestamp());
            case Fact.Outcome outcome -> follow(record.key(), outcome, record.timestamp());
            case Fact.Letter letter -> follow(record.key(), letter, record.timestamp());
            case Fact.Left left -> follow(record.key(), left, record.timestamp());
        }
    }

    /** Two numbers: how many, and when the last one was noticed. */
    private void count(String what, long more, long at) {
        long[] now = counted(what);
        counts.put(what, ByteBuffer.allocate(2 * Long.BYTES).putLong(now[0] + more).putLong(Math.max(now[1], at)).array());
    }

    private long[] counted(String what) {
        byte[] bytes = counts.get(what);
        return bytes == null ? new long[2] : new long[] {ByteBuffer.wrap(bytes).getLong(), ByteBuffer.wrap(bytes).getLong(Long.BYTES)};
    }

    private void follow(String id, Fact fact, long at) {
        youngest = Math.min(youngest, context.currentSystemTimeMs() - at);
        byte[] bytes = open.get(id);
        boolean wasOpen = bytes != null;
        ObservedOperation known = wasOpen ? ObservedOperationBytes.read(id, bytes) : ended(id);
        if (known.lastAt == 0 && isLeftOver(fact, at)) {
            return;
        }
        Map<Row, Line> before = Books.of(known);
        ObservedOperation.Visit left = known.visit;
        Whereabouts was = known.whereabouts();
        long since = known.since();
        News news = known.add(fact, at);
        books.change(before, known, fact, news);
        board.refute(known);
        boolean moved = known.since() != since || known.whereabouts() != was;
        if (known.overdueSince > 0 && moved && !isLate(known)) {
            context.forward(event(id, known, OverdueEvent.OVER, known.overdueSince));
            known.overdueSince = 0;
        }
        if (!news.equals(News.NONE)) {
            measure(known, fact, left, was, at);
        }
        known.who.ifPresent(who -> add(HopBytes.of(fact, who.kind(), at), who.paymentId(), at));
        save(id, known, wasOpen);
    }

    private void add(Hop hop, String payment, long at) {
        byte[] hops = journeys.fetch(payment, at);
        HopBytes.more(hops, hop).ifPresent(more -> journeys.put(payment, more, at));
    }

    /** It tells about an operation of which nothing else is known any more: what followed it is gone, or what came before it. */
    private boolean isLeftOver(Fact fact, long at) {
        return switch (fact) {
            case Fact.Work work -> context.currentSystemTimeMs() - at > TOO_OLD;
            // 30 days after a purge, which was counted as its end then.
            case Fact.Outcome end -> end.status().equals("purged");
            case Fact.Waits waits -> context.currentSystemTimeMs() - at > TOO_OLD;
            case Fact.Letter letter -> false;
            case Fact.Left left -> false;
            case Fact.Unreadable none -> false;
            case Fact.Missed none -> false;
        };
    }

    private ObservedOperation ended(String id) {
        try (var found = ended.backwardFetch(id, 0, Long.MAX_VALUE)) {
            return found.hasNext() ? ObservedOperationBytes.read(id, found.next().value) : new ObservedOperation();
        }
    }

    private void save(String id, ObservedOperation known, boolean wasOpen) {
        if (known.isOver()) {
            ended.put(id, ObservedOperationBytes.write(id, known), known.lastAt);
            if (wasOpen) {
                open.delete(id);
                openCount--;
            }
        } else {
            open.put(id, ObservedOperationBytes.write(id, known));
            openCount += wasOpen ? 0 : 1;
        }
    }

    private void measure(ObservedOperation known, Fact fact, ObservedOperation.Visit left, Whereabouts was, long at) {
        if (known.who.isEmpty()) {
            return;
        }
        Identity who = known.who.get();
        String from = was == Whereabouts.DEAD || was == Whereabouts.LEFT ? Books.DLQ : Books.ofTier(left.tier());
        switch (fact) {
            case Fact.Work work -> {
                if (!work.cause().isEmpty() && work.tier() > 0) {
                    recent.count(RateBy.CAUSE, work.cause(), false, who, at);
                    recent.count(RateBy.TIER, "" + work.tier(), false, who, at);
                    recent.count(RateBy.MERCHANT, who.merchant(), false, who, at);
                }
                if (left.step() == 0) {
                    took(Books.ACCEPTED, Books.ofTier(work.tier()), known.acceptedAt, at);
                } else if (known.visit.place().equals(work.place())) {
                    took(from, Books.ofTier(work.tier()), from.equals(Books.DLQ) ? known.letterAt : left.at(), at);
                }
            }
            case Fact.Outcome end -> {
                boolean succeeded = end.status().equals("succeeded");
                if (!succeeded) {
                    recent.count(RateBy.CAUSE, end.cause().isEmpty() ? end.status() : end.cause(), false, who, at);
                }
                if (!end.psp().isEmpty()) {
                    recent.count(RateBy.PSP, end.psp(), succeeded, who, at);
                }
                recent.count(RateBy.MERCHANT, who.merchant(), succeeded, who, at);
                recent.count(RateBy.TIER, "" + left.tier(), succeeded, who, at);
                took(from, Books.SETTLED, left.at(), at);
            }
            case Fact.Letter letter -> {
                recent.count(RateBy.CAUSE, letter.cause(), false, who, at);
                if (!letter.psp().isEmpty()) {
                    recent.count(RateBy.PSP, letter.psp(), false, who, at);
                }
                recent.count(RateBy.MERCHANT, who.merchant(), false, who, at);
                took(from, Books.DLQ, left.at(), at);
            }
            case Fact.Waits none -> {
            }
            case Fact.Left none -> {
            }
            case Fact.Unreadable none -> {
            }
            case Fact.Missed none -> {
            }
        }
    }

    private void took(String from, String to, long since, long at) {
        if (since > 0) {
            recent.took(from, to, at - since, at);
        }
    }

    private static Line one(ObservedOperation known) {
        return new Line(0, 0, 1, known.who.map(Identity::amount).orElse(0L));
    }

    /** One look at everything that is open. */
    private final class Look {
        private final long now;
        private final Map<Row, Line> missing = new HashMap<>();
        private final Map<String, Line> late = new HashMap<>();
        private final PriorityQueue<OverdueOperation> oldest =
                new PriorityQueue<>(Comparator.comparing(OverdueOperation::dueBy).reversed());
        private final Map<String, ObservedOperation> changed = new HashMap<>();
        private final List<Record<String, OverdueEvent>> events = new ArrayList<>();
        private long oldestDue = Long.MAX_VALUE;

        private Look(long now) {
            this.now = now;
        }

        private void at(String id, byte[] bytes) {
            Glance glance = ObservedOperationBytes.glance(bytes);
            boolean waits = switch (glance.whereabouts()) {
                case AT_WORK -> now <= plan.due(glance) && !isGone(glance);
                case WAITING, LEFT, ENDED -> now <= plan.due(glance);
                case DEAD, STRANGE -> !glance.listedByMistake();
            };
            if (waits) {
                return;
            }
            ObservedOperation known = ObservedOperationBytes.read(id, bytes);
            if (board.isRefuted(known) || glance.whereabouts() == Whereabouts.LEFT && now - glance.since() > TOO_OLD) {
                known.refuted = true;
                changed.put(id, known);
                return;
            }
            judge(id, known, glance);
        }

        private boolean isGone(Glance glance) {
            return now > glance.since() + plan.grace() && evidence.standing(glance.tier(), glance.place(), glance.since()) == Standing.GONE;
        }

        private void judge(String id, ObservedOperation known, Glance glance) {
            if (known.isListedByMistake()) {
                missing.merge(Row.of(Books.DLQ, known), one(known), Line::plus);
            }
            if (known.whereabouts() == Whereabouts.ENDED) {
                return;
            }
            boolean inFlight =
                    glance.whereabouts() == Whereabouts.AT_WORK
                            && evidence.standing(glance.tier(), glance.place(), glance.since()) == Standing.AHEAD;
            if (!inFlight) {
                missing.merge(Row.of(Books.ACCEPTED, known), one(known), Line::plus);
                if (glance.whereabouts() == Whereabouts.AT_WORK || glance.whereabouts() == Whereabouts.WAITING && known.visit.step() > 0) {
                    missing.merge(Row.of(Books.ofTier(glance.tier()), known), one(known), Line::plus);
                }
            }
            overdue(id, known, glance);
        }

        private void overdue(String id, ObservedOperation known, Glance glance) {
            long due = plan.due(glance);
            late.merge(known.who.map(Identity::currency).orElse(""), one(known), Line::plus);
            oldestDue = Math.min(oldestDue, due);
            oldest.add(row(id, known));
            if (oldest.size() > Sighting.MOST_OVERDUE) {
                oldest.poll();
            }
            if (known.overdueSince == 0 && events.size() < MOST_EVENTS) {
                known.overdueSince = due;
                changed.put(id, known);
                events.add(event(id, known, OverdueEvent.OVERDUE, due));
            }
        }
    }

    private void look(long wall) {
        long now = evidence.completeAsOf(wall);
        if (wall < nextLook) {
            return;
        }
        long began = System.nanoTime();
        var look = new Look(now);
        if (now > 0) {
            try (var all = open.all()) {
                while (all.hasNext()) {
                    var each = all.next();
                    look.at(each.key, each.value);
                }
            }
            look.changed.forEach(this::keep);
            look.events.forEach(context::forward);
        }
        recent.keep(wall);
        publish(look);
        nextLook = wall + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) * REST;
    }

    private void keep(String id, ObservedOperation known) {
        if (known.refuted) {
            known.refuted = false;
            Map<Row, Line> before = Books.of(known);
            known.refuted = true;
            books.change(before, known, new Fact.Unreadable(), News.NONE);
        }
        save(id, known, true);
    }

    private void publish(Look look) {
        List<OverdueOperation> overdue = look.oldest.stream().sorted(Comparator.comparing(OverdueOperation::dueBy)).toList();
        board.publish(context.taskId().partition(), new Sighting(books.lines(), Map.copyOf(look.missing), overdue, Map.copyOf(look.late),
                look.oldestDue, openCount, look.now, counted("unreadable")[0], counted("missed")[0], counted("missed")[1], youngest,
                recent));
        youngest = Long.MAX_VALUE;
    }

    private boolean isLate(ObservedOperation known) {
        return switch (known.whereabouts()) {
            case AT_WORK, WAITING, LEFT -> evidence.completeAsOf(context.currentSystemTimeMs()) > plan.due(known);
            case DEAD, ENDED, STRANGE -> false;
        };
    }

    private OverdueOperation row(String id, ObservedOperation known) {
        Identity who = known.who.orElseThrow(() -> new IllegalStateException("Bug! A stranger is overdue: " + id));
        return new OverdueOperation(who.paymentId(), id, who.merchant(), who.amount(), who.currency(),
                Instant.ofEpochMilli(acceptedAt(known)),
                stage(known), Instant.ofEpochMilli(known.since()), Instant.ofEpochMilli(plan.due(known)));
    }

    /** A dead letter does not say when it was accepted. */
    private static long acceptedAt(ObservedOperation known) {
        return known.acceptedAt > 0 ? known.acceptedAt : known.since();
    }

    private static String stage(ObservedOperation known) {
        return switch (known.whereabouts()) {
            case AT_WORK -> Books.ofTier(known.visit.tier());
            case WAITING -> "waiting";
            case DEAD, LEFT, ENDED, STRANGE -> Books.DLQ;
        };
    }

    private Record<String, OverdueEvent> event(String id, ObservedOperation known, String status, long due) {
        Identity who = known.who.orElseThrow(() -> new IllegalStateException("Bug! A stranger is overdue: " + id));
        var event = new OverdueEvent(OverdueEvent.TYPE, OverdueEvent.VERSION, status, who.paymentId(), id, who.kind(), known.visit.step(),
                who.merchant(), who.amount(), who.currency(), Instant.ofEpochMilli(acceptedAt(known)), stage(known),
                Instant.ofEpochMilli(known.since()), Instant.ofEpochMilli(due));
        long at = context.currentSystemTimeMs();
        return new Record<>(id, event, at, event.headers(source, Instant.ofEpochMilli(at)));
    }

    @Override
    public void close() {
        board.leave(context.taskId().partition());
    }
}
