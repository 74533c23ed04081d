// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RewritingTest {

    private static final class Monitor {
        synchronized void idle() throws InterruptedException {
            wait();
        }
    }

    private static final class Calendar {
        LocalDate today() {
            return LocalDate.now();
        }
    }

    private static final class Waiter {
        Object next(BlockingQueue<Object> queue) throws InterruptedException {
            return queue.poll(1, TimeUnit.SECONDS);
        }
    }

    private static final class Locker {
        void lock(Lock lock, Condition condition) throws InterruptedException {
            lock.lock();
        }
    }

    private static final class Pooled {
        CompletableFuture<String> later() {
            return CompletableFuture.supplyAsync(() -> "in the common pool");
        }
    }

    private static final class Referring {
        Supplier<LocalDate> clock() {
            return LocalDate::now;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Monitor.class, Calendar.class, Waiter.class, Locker.class, Pooled.class, Referring.class})
    void a_class_that_waits_or_asks_in_an_unknown_way_is_refused(Class<?> type) {
        assertThatThrownBy(() -> Rewriting.rewrite(bytes(type), call -> {})).isInstanceOf(Rewriting.Unsimulated.class)
                .hasMessageContaining(type.getName() + ".").hasMessageContaining(" calls ").hasMessageContaining("Rewriting.CALLS");
    }

    private static final class Known {
        Supplier<Instant> clock() {
            return Instant::now;
        }

        boolean look(Semaphore semaphore, BlockingQueue<Object> queue) {
            return semaphore.tryAcquire() && queue.poll() == null;
        }
    }

    @Test
    void a_known_call_is_replaced_in_a_reference_too_and_a_look_is_no_wait() throws IOException {
        List<String> replaced = new ArrayList<>();
        assertThat(Rewriting.rewrite(bytes(Known.class), replaced::add)).isNotEmpty();
        assertThat(replaced).containsExactly("java/time/Instant.now()Ljava/time/Instant;");
    }

    private static final class Catching {
        void survive(Runnable work) {
            try {
                work.run();
            } catch (RuntimeException | Error all) {
                work.run();
            }
        }
    }

    @Test
    void no_catch_of_all_errors_survives_the_end_of_its_process() throws IOException {
        assertThat(new String(Rewriting.rewrite(bytes(Catching.class), call -> {}), StandardCharsets.ISO_8859_1)).contains("passOnKilled");
        assertThat(new String(Rewriting.rewrite(bytes(Known.class), call -> {}), StandardCharsets.ISO_8859_1))
                .doesNotContain("passOnKilled");
    }

    public static final class Walking implements Supplier<List<Object>> {
        @Override
        public List<Object> get() {
            var walked = new ArrayList<Object>(Set.of("e", "d", "c", "b", "a"));
            walked.addAll(Map.of("i", 1, "h", 1, "g", 1, "f", 1).keySet());
            walked.addAll(Set.copyOf(List.of("z", "y", "x", "w")));
            walked.addAll(Map.copyOf(new TreeMap<>(Map.of("m", 1, "l", 1, "k", 1, "j", 1))).keySet());
            return walked;
        }
    }

    @Test
    @SuppressWarnings("unchecked") // It is what Walking implements.
    void a_set_or_map_that_cannot_change_is_walked_over_in_one_order_in_every_run_of_the_jvm() throws Exception {
        byte[] rewritten = Rewriting.rewrite(bytes(Walking.class), call -> {});
        var loader = new ClassLoader(getClass().getClassLoader()) {
            Class<?> define() {
                return defineClass(Walking.class.getName(), rewritten, 0, rewritten.length);
            }
        };
        var walking = (Supplier<List<Object>>) loader.define().getConstructor().newInstance();
        assertThat(String.join("", (List<String>) (List<?>) walking.get())).isEqualTo("abcdefghizyxwjklm");
    }

    @Test
    void every_substitution_finds_what_it_replaces() {
        assertThatCode(Substitutions::requireUsed).doesNotThrowAnyException();
    }

    @Test
    void a_substitution_that_finds_nothing_is_told_before_anything_is_played() {
        assertThatThrownBy(() -> Substitutions
                .requireUsed(Set.of("io/chargeonce/kafka/ProducerSettings.makeProducer", "java/time/Instant.now()Ljava/time/Instant;")))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("ProducerSettings.makeProducer")
                .hasMessageNotContaining("Instant");
    }

    private static byte[] bytes(Class<?> type) throws IOException {
        return ClassFileLocator.ForClassLoader.of(type.getClassLoader()).locate(type.getName()).resolve();
    }
}
