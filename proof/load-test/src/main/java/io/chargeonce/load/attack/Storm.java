// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Kind;
import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs attacks: the plain ones side by side, then the slow ones, and the crowds last, one by one. Each ends by itself or is ended. */
public final class Storm {

    /** Far longer than the requests of one attack take. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final AttackTarget target;

    public Storm(AttackTarget target) {
        this.target = target;
    }

    /** @throws IOException if an honest payment is not accepted: then no attack would say anything */
    public AttackReport all() throws IOException {
        return new AttackReport(run(Attack.all()));
    }

    /**
     * @return what came of each, in the order that they were given in
     * @throws IOException if an honest payment is not accepted: then no attack would say anything
     */
    Map<Attack, Result> run(List<Attack> attacks) throws IOException {
        try (AttackSession honest = new AttackSession(target)) {
            AttackSession.idOf(honest.pay(target.token()));
            AttackSession.idOf(honest.pay(target.other()));
        }
        var results = new LinkedHashMap<Attack, Result>();
        attacks.forEach(attack -> results.put(attack, new Result.NotTried("")));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Kind kind : Kind.values()) {
                List<Attack> some = attacks.stream().filter(attack -> attack.kind() == kind).toList();
                switch (kind) {
                    // Failed authentications are answered late, so most of their time is waiting.
                    case PLAIN, SLOW -> results.putAll(sideBySide(threads, some));
                    case CROWD -> some.forEach(attack -> results.putAll(sideBySide(threads, List.of(attack))));
                }
            }
        }
        return results;
    }

    private Map<Attack, Result> sideBySide(ExecutorService threads, List<Attack> attacks) {
        var sieges = new ArrayList<AttackSession>();
        var running = new LinkedHashMap<Attack, Future<Result>>();
        try {
            for (Attack attack : attacks) {
                var siege = new AttackSession(target);
                sieges.add(siege);
                running.put(attack, threads.submit(() -> attack.trial().at(siege)));
            }
            var results = new LinkedHashMap<Attack, Result>();
            running.forEach((attack, future) -> results.put(attack, result(future)));
            return results;
        } finally {
            // Also wakes those that still wait for an answer.
            sieges.forEach(AttackSession::close);
        }
    }

    private Result result(Future<Result> future) {
        Duration longest = LONGEST.plus(target.patience());
        try {
            return future.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            return new Result.Fell("no end after %d s".formatted(longest.toSeconds()));
        } catch (ExecutionException failed) {
            // Who cannot be asked did not hold.
            return new Result.Fell(String.valueOf(failed.getCause().getMessage()).lines().findFirst().orElse("failed"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result.NotTried("an interrupted run goes no further");
        }
    }
}
