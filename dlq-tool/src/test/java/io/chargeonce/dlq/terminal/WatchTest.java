// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.terminal.page.WatchPage;
import io.chargeonce.terminal.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WatchTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();
    private static final Sum MANY = Sum.ofRow("EUR", 1_000_000, 1_299_000_000);

    @Test
    void one_look_shows_arrivals_tiers_breakers_and_open_runs() throws IOException {
        rows.dead(3);
        rows.poison(new byte[] {1});
        rows.text("UPDATE audit_record SET at = now() - interval '5 minutes' WHERE action = 'dead_letter.entered' "
                + "AND data ->> 'why' = 'undecodable' RETURNING 1");
        String waiting = rows.accepted("acme");
        rows.retry(waiting, 2, "unwell");
        rows.text(
                "UPDATE operation_state SET not_before = now() - interval '90 seconds' WHERE operation_id = '" + waiting + "' RETURNING 1");
        call("merge", "--all", "--plan");
        HttpServer metrics = metrics("chargeonce_psp_breaker_open{application=\"x\",psp=\"stripe\"} 1.0\n"
                + "chargeonce_psp_breaker_open{application=\"x\",psp=\"adyen\"} 0.0\n");
        try {
            String address = "127.0.0.1:" + metrics.getAddress().getPort();
            Called watch = call("watch", "--metrics", address);
            assertThat(watch.exit()).as(watch.err()).isZero();
            assertThat(watch.out()).contains("4 dead letters, 38.97 EUR", "psp_unwell", "undecodable", "retry-2",
                    "adyen closed · stripe OPEN",
                    "0 of 4 moved");
            assertThat(watch.out()).containsPattern("3 +3 +3  psp_unwell").containsPattern("0 +1 +1  undecodable")
                    .containsPattern("retry-2 +1 +12\\.99 EUR +0 +1 +1m");
            var json = call("watch", "--json", "--metrics", address, "--metrics", "127.0.0.1:1").json().getFirst();
            assertThat(json.path("dead").asInt()).isEqualTo(4);
            assertThat(json.path("tiers").get(0).path("overdue").asInt()).isEqualTo(1);
            assertThat(json.path("breakers").path("stripe").asString()).isEqualTo("OPEN");
            assertThat(json.path("breakers").path("127.0.0.1:1").asString()).isEqualTo("unknown, no metrics there");
            assertThat(json.path("runs").get(0).path("items").asInt()).isEqualTo(4);
        } finally {
            metrics.stop(0);
        }
    }

    @Test
    void what_came_stays_an_arrival_when_it_is_merged_and_a_run_that_stopped_itself_is_open_while_something_is_left() {
        rows.dead(3);
        var merge = CompletableFuture.supplyAsync(() -> call("merge", "--all", "--canary", "1", "--yes", "--wait", "0"),
                Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 1);
        rows.accepted().forEach(id -> rows.fail(id, "still unwell"));
        assertThat(merge.join().exit()).isOne();
        String run = rows.text("SELECT run_id FROM dlq_run");
        Watch watch = Watch.now(rows.queue());
        assertThat(watch.arrivals()).containsExactly(new Watch.Arrivals("psp_unwell", 4, 4, 4));
        assertThat(call("watch").out()).containsPattern(run + " aborted: 1 of the canary's 1 failed\\s+again, 1 of 3 moved");
    }

    @Test
    void a_page_fits_a_small_terminal_however_much_there_is_to_tell() {
        var arrivals = IntStream.range(0, 30).mapToObj(i -> new Watch.Arrivals("cause_of_a_long_night_" + i, i, i, i)).toList();
        var tiers = IntStream.range(0, 4).mapToObj(i -> new Watch.Tier(i, MANY, 1_000_000, 1_000_000, Duration.ofHours(3))).toList();
        rows.dead(2);
        IntStream.range(0, 5).forEach(i -> call("merge", "--all", "--plan"));
        Watch now = Watch.now(rows.queue());
        assertThat(now.runs()).hasSize(5);
        var full = new Watch(now.at(), MANY, arrivals, now.runs(), tiers, now.holds());
        var breakers = IntStream.range(0, 12).boxed()
                .collect(Collectors.toMap("charge-%d.example:9100"::formatted, i -> "unknown, no metrics there"));

        for (int height : new int[] {24, 30, 50}) {
            List<String> page = page(full, breakers, height - 2);
            assertThat(page).hasSizeLessThanOrEqualTo(height - 2).hasSizeGreaterThan(height - 6);
            assertThat(page).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
            assertThat(String.join("\n", page)).contains("1,000,000 dead letters", "cause_of_a_long_night_0", "more causes", "main",
                    "charge-0.example",
                    full.runs().getFirst().run().id());
        }
        assertThat(page(full, breakers, Integer.MAX_VALUE)).noneMatch(line -> line.contains("more causes"))
                .anyMatch(line -> line.contains("cause_of_a_long_night_29"));
    }

    private static List<String> page(Watch watch, Map<String, String> breakers, int rows) {
        return WatchPage.lines(watch, breakers, Screen.plain(new PrintWriter(Writer.nullWriter()), 80), rows);
    }

    private static HttpServer metrics(String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
