// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.IngestWorld;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The last seconds of a token, as its sender sees them. Postgres' clock decides. */
class TokenLifeTest {

    /** In microseconds: longer than anything that is remembered of a token. */
    private static final long LONG_OVER = 8_000_000;
    private static IngestWorld world;

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    /** @param left microseconds of the token's life, before the request and after its answer */
    private record Sent(long leftBefore, HttpResponse<String> answer, long leftAfter) {

        boolean isAccepted() {
            return answer.statusCode() == 200;
        }
    }

    private static void issue(String token, String life) {
        world.execute("INSERT INTO merchant_token (token_sha256, merchant_id, expires_at) "
                + "VALUES (sha256('%s'), 'acme', clock_timestamp() + interval '%s')".formatted(token, life));
    }

    private static long left(String token) {
        return world.count("SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000000)::bigint FROM merchant_token "
                + "WHERE token_sha256 = sha256('" + token + "')");
    }

    private static Sent send(String token) {
        long before = left(token);
        HttpResponse<String> answer =
                world.send(world.request("/v1/payments?reference=r").setHeader("Authorization", "Bearer " + token).build());
        return new Sent(before, answer, left(token));
    }

    /** What Postgres said is remembered for seconds, but never for longer than the token lives. */
    @Test
    void a_token_that_is_in_use_is_refused_from_its_expiry_on_and_not_before() {
        issue("test_short", "2 seconds");
        List<Sent> sent = new ArrayList<>();
        do {
            sent.add(send("test_short"));
        } while (sent.getLast().isAccepted() && sent.getLast().leftAfter() > -LONG_OVER);

        assertThat(sent).filteredOn(Sent::isAccepted).as("accepted").isNotEmpty()
                .allSatisfy(one -> assertThat(one.leftBefore()).as("life left when it was sent").isPositive());
        Sent refused = sent.getLast();
        assertThat(refused.answer().statusCode()).isEqualTo(401);
        assertThat(IngestWorld.type(refused.answer())).isEqualTo("urn:chargeonce:problem:token-expired");
        assertThat(refused.leftAfter()).as("life left when it was refused").isNotPositive();
    }

    /** Its first request is its first lookup. */
    @Test
    void a_token_whose_life_is_over_is_never_accepted() {
        for (String life : List.of("0 seconds", "-1 millisecond", "-1 hour")) {
            String token = "test_over_" + life.replace(' ', '_');
            issue(token, life);
            Sent sent = send(token);
            assertThat(IngestWorld.type(sent.answer())).as(life).isEqualTo("urn:chargeonce:problem:token-expired");
        }
    }
}
