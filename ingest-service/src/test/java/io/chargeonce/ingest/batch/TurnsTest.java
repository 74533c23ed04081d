// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private final Turns turns = new Turns("turn");

    @Test
    void what_shares_a_turn_is_done_in_order_and_never_at_once() {
        var done = Collections.synchronizedList(new ArrayList<Integer>());
        List<CompletableFuture<Boolean>> work = IntStream.range(0, 1000)
                .mapToObj(i -> turns.take(Set.of("one", "own " + i), () -> done.add(i))).toList();
        work.forEach(CompletableFuture::join);

        assertThat(done).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void what_shares_none_does_not_wait() throws InterruptedException {
        var blocked = new CountDownLatch(1);
        CompletableFuture<Boolean> first = turns.take(Set.of("a"), () -> waited(blocked));
        CompletableFuture<Boolean> second = turns.take(Set.of("a", "b"), () -> true);

        assertThat(turns.take(Set.of("c"), () -> true).join()).isTrue();
        assertThat(turns.take(Set.of(), () -> true).join()).isTrue();
        assertThat(second).isNotDone();
        blocked.countDown();
        assertThat(first.join()).isTrue();
        assertThat(second.join()).isTrue();
    }

    @Test
    void work_that_fails_gives_its_turn_on() {
        CompletableFuture<Object> bad = turns.take(Set.of("a"), () -> {
            throw new IllegalStateException("no");
        });
        assertThat(turns.take(Set.of("a"), () -> 1).join()).isEqualTo(1);
        assertThatThrownBy(bad::join).isInstanceOf(CompletionException.class).hasRootCauseMessage("no");
    }

    private static boolean waited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
