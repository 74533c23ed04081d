// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A column of a table.
 *
 * @param room what it does when the screen is narrow
 * @param cell one line or several
 */
public record Column<R>(String title, boolean right, Room room, Function<R, List<String>> cell) {

    /** Where a row has nothing. */
    public static final String NONE = "–";

    sealed interface Room {

        /** It is printed as it is, on any screen. */
        record Whole() implements Room {}

        /** It is cut, down to this width. If that is not enough, it is left out. */
        record Shrinks(int narrowest) implements Room {}

        /** It takes what the others leave, and is left out when that is less than this width. */
        record IfAny(int narrowest) implements Room {}
    }

    public static <R> Column<R> whole(String title, Function<R, String> cell) {
        return new Column<>(title, false, new Room.Whole(), one(cell));
    }

    /** To the second, in UTC. */
    public static <R> Column<R> time(String title, Function<R, Optional<Instant>> cell) {
        return whole(title, row -> cell.apply(row).map(at -> at.truncatedTo(ChronoUnit.SECONDS).toString()).orElse(NONE));
    }

    public static <R> Column<R> right(String title, Function<R, String> cell) {
        return new Column<>(title, true, new Room.Whole(), one(cell));
    }

    public static <R> Column<R> lines(String title, Function<R, List<String>> cell) {
        return new Column<>(title, false, new Room.Whole(), cell);
    }

    public static <R> Column<R> rightLines(String title, Function<R, List<String>> cell) {
        return new Column<>(title, true, new Room.Whole(), cell);
    }

    public static <R> Column<R> shrinking(String title, int narrowest, Function<R, String> cell) {
        return new Column<>(title, false, new Room.Shrinks(narrowest), one(cell));
    }

    public static <R> Column<R> ifRoom(String title, int narrowest, Function<R, String> cell) {
        return new Column<>(title, false, new Room.IfAny(narrowest), one(cell));
    }

    private static <R> Function<R, List<String>> one(Function<R, String> cell) {
        return row -> List.of(cell.apply(row));
    }

    /** How narrow it may become. */
    int narrowest(int natural) {
        return switch (room) {
            case Room.Whole whole -> natural;
            case Room.Shrinks shrinks -> Math.min(natural, shrinks.narrowest);
            case Room.IfAny ifAny -> Math.min(natural, ifAny.narrowest);
        };
    }
}
