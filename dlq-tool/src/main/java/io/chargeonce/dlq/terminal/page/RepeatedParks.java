// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.text.Counted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A life as lines. A payment whose PSP cannot be reached is tried and parked again and again, and a PSP that cannot tell is asked again
 * and again. Turns that repeat the one before are counted in one line.
 */
final class RepeatedParks {

    /** One line of a life. */
    record Line(Instant at, String text) {}

    /** An attempt, its answer, and the wait that follows; or a wait without an attempt. */
    private static final List<Integer> TURNS = List.of(3, 1);
    /** Fewer are shown one by one. */
    private static final int FEWEST = 2;

    private RepeatedParks() {}

    static List<Line> lines(List<Moment> moments) {
        var lines = new ArrayList<Line>();
        int next = 0;
        while (next < moments.size()) {
            int turn = turn(moments, next);
            moments.subList(next, next + turn).forEach(moment -> lines.add(new Line(moment.at(), MomentWords.of(moment))));
            int more = repeats(moments, next, turn);
            next += turn;
            if (more >= FEWEST) {
                next += more * turn;
                lines.add(again(moments.subList(next - turn, next), more));
            }
        }
        return lines;
    }

    /** How many moments the turn that begins here has; 1 if none begins. */
    private static int turn(List<Moment> moments, int from) {
        return TURNS.stream().filter(length -> from + length <= moments.size() && shape(moments, from, length).isPresent())
                .findFirst().orElse(1);
    }

    private static int repeats(List<Moment> moments, int from, int turn) {
        Optional<List<Object>> first = shape(moments, from, turn);
        int more = 0;
        while (first.isPresent() && from + (more + 2) * turn <= moments.size()
                && first.equals(shape(moments, from + (more + 1) * turn, turn))) {
            more++;
        }
        return more;
    }

    /** What two equal turns have in common; empty if this is no turn that ends with a park, and no answer to a status query. */
    private static Optional<List<Object>> shape(List<Moment> moments, int from, int length) {
        if (length == 1 && moments.get(from) instanceof Moment.Heard heard && !heard.source().equals("call")) {
            return Optional.of(List.of(heard.attempt(), heard.source(), heard.outcome(), heard.cause(), heard.detail(), heard.reference()));
        }
        if (!(moments.get(from + length - 1) instanceof Moment.Waited park && park.parked())) {
            return Optional.empty();
        }
        List<Object> wait = List.of(park.tier(), park.cause());
        if (length == 1) {
            return Optional.of(wait);
        }
        return moments.get(from) instanceof Moment.Sent sent && moments.get(from + 1) instanceof Moment.Heard heard
                ? Optional.of(List.of(wait, sent.psp(), sent.generation(), heard.source(), heard.outcome(), heard.cause()))
                : Optional.empty();
    }

    private static Line again(List<Moment> last, int times) {
        if (!(last.getLast() instanceof Moment.Waited park)) {
            return new Line(last.getLast().at(), "the same %s, %,d times in all".formatted(Counted.of(times, "more time"), times + 1));
        }
        String until = last.getFirst() instanceof Moment.Sent sent ? ", until attempt %d".formatted(sent.attempt()) : "";
        return new Line(park.at(),
                "the same %s%s; parked the last time until %s".formatted(Counted.of(times, "more time"), until, Words.time(park.due())));
    }
}
