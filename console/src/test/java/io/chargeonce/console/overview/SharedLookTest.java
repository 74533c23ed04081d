// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SharedLookTest {

    private final SharedLook<Integer> shared = new SharedLook<>();
    private final AtomicInteger looks = new AtomicInteger();

    private CompletableFuture<Integer> ask(long notBefore, Supplier<Integer> look) {
        var answer = new CompletableFuture<Integer>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(shared.since(notBefore, look).value());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Test
    void however_many_ask_during_a_look_they_share_the_next_one_and_see_nothing_older_than_their_question() throws Exception {
        var goesOn = new CountDownLatch(1);
        CompletableFuture<Integer> first = ask(System.nanoTime(), () -> {
            int look = looks.incrementAndGet();
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return look;
        });
        await().until(() -> looks.get() == 1);
        long now = System.nanoTime();
        var later = new ArrayList<CompletableFuture<Integer>>();
        for (int i = 0; i < 20; i++) {
            later.add(ask(now, looks::incrementAndGet));
        }

        goesOn.countDown();

        assertThat(first.get()).isEqualTo(1);
        for (CompletableFuture<Integer> answer : later) {
            assertThat(answer.get()).isEqualTo(2);
        }
        assertThat(shared.since(now, looks::incrementAndGet).value()).isEqualTo(2);
        assertThat(shared.since(System.nanoTime(), looks::incrementAndGet).value()).isEqualTo(3);
    }

    @Test
    void a_failure_that_concerns_who_looked_is_not_shared() {
        CompletableFuture<Integer> refused = ask(System.nanoTime(), () -> {
            throw new IllegalArgumentException("you may not");
        });

        assertThat(refused).failsWithin(java.time.Duration.ofSeconds(10));
        assertThat(shared.since(0, looks::incrementAndGet).value()).isEqualTo(1);
    }
}
