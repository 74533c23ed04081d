// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What was staged, by shard, and how often relays came or let shards go: so that a relay is woken where it would find something,
 * and nowhere else. Only the strand that has the turn may call it.
 */
final class Stagings {

    private static final Pattern BETWEEN_NUMBERS = Pattern.compile("[^0-9]+");

    private final Map<Integer, Long> lastOf = new HashMap<>();
    private long count;
    private long lastAnywhere;
    private long relayChanges;

    void committed(Set<Integer> shards) {
        count++;
        shards.forEach(shard -> lastOf.put(shard, count));
    }

    /** In any shard. */
    void committedAnywhere() {
        lastAnywhere = ++count;
    }

    /** A relay began, ended or gave a shard away, so that another's share may be larger or smaller. */
    void relaysChanged() {
        relayChanges++;
    }

    /** What a process's relay knows; it is told of its own looks. */
    public static final class Seen {

        private Set<Integer> shards = Set.of();
        private long staged;
        private long relayChanges;
        private boolean unknown = true;

        /** It has rows that it could not publish, or may have some. */
        public void leftSome() {
            unknown = true;
        }
    }

    void looks(Seen relay) {
        relay.unknown = false;
        relay.staged = count;
    }

    static void looksInto(Seen relay, Object[] shards) {
        var chosen = new HashSet<Integer>();
        for (Object shard : shards) {
            chosen.add((Integer) shard);
        }
        relay.shards = chosen;
    }

    void counts(Seen relay) {
        relay.relayChanges = relayChanges;
    }

    /** Whether a look would find something, or another share. */
    boolean concern(Seen relay) {
        return relay.unknown || mayShareOtherwise(relay) || lastAnywhere > relay.staged
                || count > relay.staged && relay.shards.stream().anyMatch(shard -> lastOf.getOrDefault(shard, 0L) > relay.staged);
    }

    /** Whether relays came or went, or let shards go, since this one counted them. */
    boolean mayShareOtherwise(Seen relay) {
        return relay.relayChanges != relayChanges;
    }

    /** Adds to these the shards that the statement stages to. */
    static PreparedStatement heard(PreparedStatement staging, Set<Integer> shards) {
        return (PreparedStatement) Proxy.newProxyInstance(Stagings.class.getClassLoader(), new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("setObject") && arguments[0].equals(1)) {
                        BETWEEN_NUMBERS.splitAsStream(arguments[1].toString()).filter(number -> !number.isEmpty())
                                .map(Integer::valueOf).forEach(shards::add);
                    }
                    try {
                        return method.invoke(staging, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
