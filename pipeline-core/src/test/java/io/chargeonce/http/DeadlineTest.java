// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    @Test
    void work_that_is_done_in_time_is_left_alone() {
        try (var deadline = new Deadline(Duration.ofMinutes(1))) {
            assertThat(deadline.within(() -> "done")).isEqualTo("done");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void a_read_from_somebody_who_sends_nothing_ends_and_the_thread_can_go_on() throws IOException {
        try (var deadline = new Deadline(Duration.ofMillis(100));
             var server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
             var silent = SocketChannel.open(server.getLocalAddress());
             var connection = server.accept()) {
            assertThat(silent.isConnected()).isTrue();
            InputStream stream = Channels.newInputStream(connection);
            assertThatThrownBy(() -> deadline.within(() -> read(stream))).hasCauseInstanceOf(ClosedByInterruptException.class);
            assertThat(connection.isOpen()).isFalse();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    private static int read(InputStream stream) {
        try {
            return stream.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
