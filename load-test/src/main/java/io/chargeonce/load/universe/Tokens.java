// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.merchants.Merchants;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenBook;
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

    /** What ingest promises. */
    static final Duration DEAD_AFTER = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private record Batch(Host host, String token) {}

    private final Kernel kernel;
    private final Map<String, TokenBook.NewToken> current = new HashMap<>();
    private final Map<String, Long> revokedAt = new HashMap<>();
    private final Map<Host, Merchants> doors = new HashMap<>();
    private final Map<Batch, Credential> batches = new HashMap<>();

    Tokens(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Before anything goes wrong. */
    void issue(List<String> merchants) {
        merchants.forEach(merchant -> current.put(merchant, book().add(merchant, TokenBook.Grant.USUAL).orElseThrow()));
    }

    String of(String merchant) {
        return current.get(merchant).secret();
    }

    private static TokenBook book() {
        return new TokenBook(StandIns.database(), "world");
    }

    /** @param stolen told of the old token when it is revoked */
    Map<Fault, Runnable> all(List<String> merchants, BiConsumer<String, String> stolen) {
        return Map.of(Fault.TOKEN, () -> {
            String merchant = merchants.get(kernel.random().nextInt(merchants.size()));
            kernel.spawn(kernel.world(), "rotation", () -> change(merchant, stolen));
        });
    }

    private void change(String merchant, BiConsumer<String, String> stolen) {
        TokenBook.NewToken old = current.get(merchant);
        kernel.tell("token changed", merchant + " changes its token");
        insist(() -> book().rotate(old.id(), Duration.ofHours(1))).ifPresent(fresh -> {
            current.put(merchant, fresh);
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(3)));
            stolen.accept(merchant, old.secret());
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(3)));
            insist(() -> book().revoke(old.id()));
            revokedAt.put(old.secret(), kernel.now());
            kernel.tell("token revoked", "the old token of " + merchant + " is revoked");
        });
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
        return Optional.ofNullable(revokedAt.get(token)).filter(revoked -> at > revoked + DEAD_AFTER.toNanos() / 1_000).isPresent();
    }

    /**
     * Asks in the process that has the turn.
     *
     * @param inABatch whether it comes within one that was begun with this token, if there is one
     */
    boolean lets(String token, boolean inABatch) {
        Host host = kernel.host();
        Merchants door = doors.computeIfAbsent(host, unseen -> new Merchants(StandIns.database(), new SteadyClock()));
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
