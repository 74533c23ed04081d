// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.fairness;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Waiting items, in one line per share (mostly a merchant). Lines take turns, so that a long one delays no other; a lone line has all
 * turns. All items cost about the same, so a turn is one item. Its owner guards it.
 *
 * @param <T> the waiting items
 */
public final class FairLines<T> {

    private record Line<T>(Object share, Deque<T> items) {}

    private final Map<Object, Line<T>> lines = new HashMap<>();
    /** Lines with items, in the order of their turns. */
    private final Deque<Line<T>> turns = new ArrayDeque<>();
    private int size;

    /** Adds it after all others of its line. */
    public void add(Object share, T item) {
        line(share).items.addLast(item);
        size++;
    }

    /** Adds it before all others of its line. */
    public void addFirst(Object share, T item) {
        line(share).items.addFirst(item);
        size++;
    }

    private Line<T> line(Object share) {
        return lines.computeIfAbsent(share, absent -> {
            var line = new Line<T>(share, new ArrayDeque<>());
            turns.addLast(line);
            return line;
        });
    }

    /** Takes the first item of the next line in turn. */
    public Optional<T> take() {
        return take(share -> true);
    }

    /** The same among the lines that may take their turn now; the others keep theirs. */
    public Optional<T> take(Predicate<Object> mayGo) {
        for (var turn = turns.iterator(); turn.hasNext();) {
            Line<T> line = turn.next();
            if (mayGo.test(line.share)) {
                Optional<T> item = Optional.of(line.items.getFirst());
                turn.remove();
                line.items.removeFirst();
                size--;
                if (line.items.isEmpty()) {
                    lines.remove(line.share);
                } else {
                    turns.addLast(line);
                }
                return item;
            }
        }
        return Optional.empty();
    }

    /** Takes the last item of the longest line, if that line is longer than this one. */
    public Optional<T> takeLastOfLongerThan(Object share) {
        Line<T> longest = turns.stream().reduce((one, other) -> one.items.size() >= other.items.size() ? one : other).orElse(null);
        if (longest == null || longest.items.size() <= waiting(share) + 1) {
            return Optional.empty();
        }
        size--;
        return Optional.of(longest.items.removeLast());
    }

    /** Returns whether it was there. */
    public boolean remove(Object share, T item) {
        Line<T> line = lines.get(share);
        if (line == null || !line.items.remove(item)) {
            return false;
        }
        size--;
        if (line.items.isEmpty()) {
            lines.remove(share);
            turns.remove(line);
        }
        return true;
    }

    public void removeIf(Predicate<T> condition) {
        for (Line<T> line : List.copyOf(turns)) {
            line.items.removeIf(condition);
            if (line.items.isEmpty()) {
                lines.remove(line.share);
                turns.remove(line);
            }
        }
        size = turns.stream().mapToInt(line -> line.items.size()).sum();
    }

    public Optional<T> first(Object share) {
        return Optional.ofNullable(lines.get(share)).map(line -> line.items.getFirst());
    }

    public int waiting(Object share) {
        return Optional.ofNullable(lines.get(share)).map(line -> line.items.size()).orElse(0);
    }

    public int size() {
        return size;
    }

    public int lines() {
        return turns.size();
    }
}
