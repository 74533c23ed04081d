// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.merchants.Merchants;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenTable;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.runtime.SteadyClock;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The merchants' tokens: the ingest service's own class decides who may send, one in each process. Only the strand that has the turn
 * may call it.
 */
final class Tokens {

    /** What ingest promises of a change. When a token that it looked up after the last change expires, it is refused at once. */
    static final Duration DEAD_AFTER = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final Duration LONGEST_OVERLAP = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    private record Batch(Host host, String token) {}

    private final Kernel kernel;
    private final Map<String, TokenTable.NewToken> current = new HashMap<>();
    private final Map<String, Long> deadFrom = new HashMap<>();
    private final Map<Host, Merchants> doors = new HashMap<>();
    private final Map<Batch, Credential> batches = new HashMap<>();

    Tokens(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Before anything goes wrong. */
    void issue(List<String> merchants) {
        merchants.forEach(merchant -> current.put(merchant, book().add(merchant, TokenTable.Grant.USUAL).orElseThrow()));
    }

    String of(String merchant) {
        return current.get(merchant).secret();
    }

    private static TokenTable book() {
        return new TokenTable(SimulationHooks.database(), "world");
    }

    /** @param stolen told of the old token */
    Map<Fault, Runnable> all(List<String> merchants, BiConsumer<String, String> stolen) {
        return Map.of(Fault.TOKEN, () -> {
            String merchant = merchants.get(kernel.random().nextInt(merchants.size()));
            kernel.spawn(kernel.world(), "rotation", () -> change(merchant, stolen));
        });
    }

    /** The old token is revoked, or expires at the end of its overlap. */
    private void change(String merchant, BiConsumer<String, String> stolen) {
        TokenTable.NewToken old = current.get(merchant);
        boolean expires = kernel.chance(0.5);
        Duration overlap = expires ? kernel.between(Duration.ofMillis(1), LONGEST_OVERLAP) : Duration.ofHours(1);
        kernel.tell("token changed", merchant + " changes its token");
        // If the answer got lost and the old token has expired meanwhile, a person adds one.
        TokenTable.NewToken fresh = insist(() -> book().rotate(old.id(), overlap).or(() -> book().add(merchant, TokenTable.Grant.USUAL)))
                .orElseThrow();
        current.put(merchant, fresh);
        if (expires) {
            deadFrom.put(old.secret(), kernel.after(overlap.compareTo(DEAD_AFTER) > 0 ? overlap : DEAD_AFTER));
            kernel.tell("token expires", "the old token of " + merchant + " expires in " + overlap.toMillis() + " ms");
        }
        kernel.sleep(kernel.between(Duration.ZERO, LONGEST_PAUSE));
        stolen.accept(merchant, old.secret());
        if (!expires) {
            kernel.sleep(kernel.between(Duration.ZERO, LONGEST_PAUSE));
            insist(() -> book().revoke(old.id()));
            deadFrom.put(old.secret(), kernel.after(DEAD_AFTER));
            kernel.tell("token revoked", "the old token of " + merchant + " is revoked");
        }
    }

    /** Until there is an answer: one that got lost is asked for again. */
    private <T> T insist(Supplier<T> change) {
        while (true) {
            try {
                return change.get();
            } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
                kernel.sleep(PATIENCE);
            }
        }
    }

    /** Whether a token that was used at this time should have been dead. */
    boolean isDead(String token, long at) {
        return Optional.ofNullable(deadFrom.get(token)).filter(from -> at > from).isPresent();
    }

    /**
     * Asks in the process that has the turn.
     *
     * @param inABatch whether it comes within one that was begun with this token, if there is one
     */
    boolean lets(String token, boolean inABatch) {
        Host host = kernel.host();
        Merchants door = doors.computeIfAbsent(host, unseen -> new Merchants(SimulationHooks.database(), new SteadyClock()));
        var batch = new Batch(host, token);
        Credential begun = inABatch ? batches.get(batch) : null;
        InetAddress here = InetAddress.getLoopbackAddress();
        Checked<Credential> checked = begun == null ? door.authenticate(List.of("Bearer " + token), Scope.PAY, here)
                : door.again(begun, Scope.PAY, here);
        if (checked instanceof Checked.Right<Credential> right) {
            batches.putIfAbsent(batch, right.value());
            return true;
        }
        return false;
    }
}
