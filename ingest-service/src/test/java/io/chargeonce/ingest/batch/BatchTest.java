// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchTest {

    private final Turns turns = new Turns("batch-test");

    private CompletableFuture<byte[]> echo(Lines.Line line) {
        return turns.take(Set.of(), () -> (line.number() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Makes as many lines as asked for and counts those that were taken. */
    private static final class Generated extends InputStream {
        private final AtomicLong taken = new AtomicLong();
        private final long lines;

        Generated(long lines) {
            this.lines = lines;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            if (taken.get() >= lines) {
                return -1;
            }
            buffer[offset] = '{';
            buffer[offset + 1] = '\n';
            taken.incrementAndGet();
            return 2;
        }
    }

    @Test
    void a_million_lines_are_never_held_at_once() throws IOException {
        var in = new Generated(1_000_000);
        var written = new AtomicLong();
        var furthestAhead = new AtomicLong();
        var out = new OutputStream() {
            @Override
            public void write(int b) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void write(byte[] bytes) {
                furthestAhead.accumulateAndGet(in.taken.get() - written.incrementAndGet(), Math::max);
            }
        };
        new Batch(this::echo, Duration.ZERO).run(in, out);

        assertThat(written).hasValue(1_000_000);
        assertThat(furthestAhead.get()).isLessThanOrEqualTo(Batch.AT_ONCE + 2L);
    }

    @Test
    void answers_come_in_the_order_of_the_lines_whichever_is_ready_first() throws IOException {
        var out = new ByteArrayOutputStream();
        String lines = "x\n".repeat(1000);
        new Batch(line -> turns.take(Set.of(), () -> {
            if (line.number() % 7 == 0) {
                Thread.yield();
            }
            return (line.number() + "\n").getBytes(StandardCharsets.UTF_8);
        }), Duration.ZERO).run(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), out);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(IntStream.rangeClosed(1, 1000).mapToObj(i -> i + "\n").collect(Collectors.joining()));
    }

    @Test
    void a_client_that_takes_no_answers_ends_the_batch() {
        var broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("gone");
            }
        };
        assertThatThrownBy(() -> new Batch(this::echo, Duration.ZERO).run(new Generated(Long.MAX_VALUE), broken)).hasMessage("gone");
    }

    @Test
    void a_client_that_leaves_gets_no_end_but_what_it_sent_is_answered() {
        var out = new ByteArrayOutputStream();
        var breaking = new InputStream() {
            private boolean sent;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                if (sent) {
                    throw new IOException("left");
                }
                sent = true;
                byte[] lines = "whole\nhal".getBytes(StandardCharsets.UTF_8);
                System.arraycopy(lines, 0, buffer, offset, lines.length);
                return lines.length;
            }
        };
        assertThatThrownBy(() -> new Batch(this::echo, Duration.ZERO).run(breaking, out)).hasMessage("left");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("1\n");
    }
}
