// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import java.util.List;
import java.util.stream.Stream;

/**
 * One attack. To add one, write it beside similar ones; a test runs each against a server that accepts everything, and there the target
 * must fall.
 *
 * @param name  short and stable, for reports to be compared
 * @param tries in words
 */
record Attack(String name, String tries, Kind kind, Trial trial) {

    enum Kind {
        /** A few requests, at once. */
        PLAIN,
        /** Waits for a deadline of the server; several of them wait side by side. */
        SLOW,
        /** Holds many connections, and looks whether others are served meanwhile. */
        CROWD
    }

    @FunctionalInterface
    interface Trial {
        Result at(AttackSession siege) throws Exception;
    }

    sealed interface Result {

        /** @param answer what came back, short */
        record Held(String answer) implements Result {}

        record Fell(String answer) implements Result {}

        /** @param needs what has to be given for it to be tried */
        record NotTried(String needs) implements Result {}
    }

    static Attack plain(String name, String tries, Trial trial) {
        return new Attack(name, tries, Kind.PLAIN, trial);
    }

    static Attack slow(String name, String tries, Trial trial) {
        return new Attack(name, tries, Kind.SLOW, trial);
    }

    static Attack crowd(String name, String tries, Trial trial) {
        return new Attack(name, tries, Kind.CROWD, trial);
    }

    static List<Attack> all() {
        return Stream.of(CardAttacks.ALL, BodyAttacks.ALL, HttpAttacks.ALL, StrangerAttacks.ALL, WebhookAttacks.ALL, AdminAttacks.ALL,
                DatabaseAttacks.ALL, LockAttacks.ALL, CrowdAttacks.ALL).flatMap(List::stream).toList();
    }
}
