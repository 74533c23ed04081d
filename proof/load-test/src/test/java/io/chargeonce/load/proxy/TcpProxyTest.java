// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

    /** By the echo. */
    private final StringBuffer heard = new StringBuffer();
    private ServerSocket echo;
    private TcpProxy proxy;
    private Socket client;

    @BeforeEach
    void connect() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
        Thread.ofVirtual().start(this::echo);
        proxy = TcpProxy.start(echo.getLocalPort());
        client = dial();
    }

    private Socket dial() throws IOException {
        var socket = new Socket("127.0.0.1", proxy.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private void echo() {
        while (!echo.isClosed()) {
            try {
                Socket accepted = echo.accept();
                Thread.ofVirtual().start(() -> {
                    try (accepted) {
                        for (int said = accepted.getInputStream().read(); said >= 0; said = accepted.getInputStream().read()) {
                            heard.append((char) said);
                            accepted.getOutputStream().write(said);
                        }
                    } catch (IOException gone) {
                        // These tests close connections all the time.
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        proxy.close();
        echo.close();
    }

    private void say(String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String hear(int length) throws IOException {
        return new String(client.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    /** Each slice takes its time, so that they are told apart. */
    @Test
    void bytes_come_through_in_both_directions_in_slices() throws IOException {
        proxy.set(Conditions.fair().slice(3).latency(Duration.ofMillis(50)));
        long start = System.nanoTime();
        say("hello, proxy");
        assertThat(hear(12)).isEqualTo("hello, proxy");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(240));
    }

    @Test
    void latency_and_bandwidth_hold_bytes_back_and_lose_none() throws IOException {
        proxy.set(Conditions.fair().latency(Duration.ofMillis(50)).bytesPerSecond(100));
        long start = System.nanoTime();
        say("0123456789");
        assertThat(hear(10)).isEqualTo("0123456789");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(290));
    }

    @Test
    void down_closes_open_connections_and_lets_none_in_until_it_is_fair_again() throws IOException {
        say("a");
        assertThat(hear(1)).isEqualTo("a");
        proxy.set(Conditions.unreachable());
        assertThat(isGone(client)).isTrue();
        assertThat(isGone(dial())).isTrue();
        proxy.set(Conditions.fair());
        client = dial();
        say("b");
        assertThat(hear(1)).isEqualTo("b");
    }

    @Test
    void a_stalled_connection_stays_open_and_silent_and_then_goes_on() throws IOException {
        proxy.set(Conditions.silent());
        say("late");
        client.setSoTimeout(200);
        assertThatThrownBy(() -> hear(4)).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(10_000);
        proxy.set(Conditions.fair());
        assertThat(hear(4)).isEqualTo("late");
    }

    @Test
    void what_stalls_one_way_goes_on_the_other_way() throws IOException {
        proxy.set(Conditions.stalled(Conditions.Stalled.ANSWERS));
        say("heard");
        Awaitility.await().until(() -> heard.toString().contains("heard"));
        client.setSoTimeout(200);
        assertThatThrownBy(() -> hear(5)).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(10_000);
        proxy.set(Conditions.stalled(Conditions.Stalled.REQUESTS));
        assertThat(hear(5)).as("the answer to what was said before").isEqualTo("heard");
        say("not yet");
        client.setSoTimeout(200);
        assertThatThrownBy(() -> hear(7)).isInstanceOf(SocketTimeoutException.class);
        assertThat(heard.toString()).doesNotContain("not yet");
    }

    @Test
    void reset_ends_a_connection_hard() throws IOException {
        say("a");
        assertThat(hear(1)).isEqualTo("a");
        proxy.resetAll();
        assertThatThrownBy(() -> hear(1)).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    @Test
    void past_its_limit_a_connection_is_reset() throws IOException {
        proxy.set(Conditions.fair().limit(5));
        say("12345");
        assertThat(hear(5)).isEqualTo("12345");
        say("6");
        assertThatThrownBy(() -> hear(1)).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    @Test
    void an_end_is_passed_on_late() throws IOException {
        proxy.set(Conditions.fair().closeDelay(Duration.ofMillis(200)));
        long start = System.nanoTime();
        client.shutdownOutput();
        assertThat(client.getInputStream().read()).isEqualTo(-1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(390));
    }

    @Test
    void an_answer_is_lost_once_also_where_its_bytes_come_in_two_pieces() throws IOException {
        proxy.set(Conditions.fair().slice(4));
        proxy.loseNextAnswerWith("COMMIT".getBytes(StandardCharsets.US_ASCII));
        say("the COMMIT is done");
        assertThat(isGone(client)).isTrue();
        assertThat(proxy.answersLost()).isEqualTo(1);
        client = dial();
        say("the COMMIT is done");
        assertThat(hear(18)).isEqualTo("the COMMIT is done");
    }

    private static boolean isGone(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                // What was on its way when it ended may still come.
            }
            return true;
        } catch (SocketException reset) {
            return true;
        }
    }
}
