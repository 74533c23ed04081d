// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.text.AddressRange;
import io.chargeonce.database.Database;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.runtime.ClientNetwork;
import io.chargeonce.runtime.Sha256;
import io.chargeonce.sandbox.TestStack;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MerchantsTest {

    private static final InetAddress CLIENT = AddressRange.parse("192.0.2.7").first();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final String url = TestStack.newDatabase(IngestWorld::prepare);
    private Database database;
    private Merchants merchants;

    @BeforeEach
    void open() {
        database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 2);
        merchants = new Merchants(database, now::get);
    }

    @AfterEach
    void close() {
        merchants.close();
        database.close();
    }

    /** The merchant, or the problem. */
    private String authenticate(String token, Scope scope, InetAddress client) {
        return result(merchants.authenticate(List.of("Bearer " + token), scope, client));
    }

    private String authenticate(String token) {
        return authenticate(token, Scope.PAY, CLIENT);
    }

    private static String result(Checked<Credential> checked) {
        return switch (checked) {
            case Checked.Right<Credential> right -> right.value().merchant().id();
            case Checked.Wrong<Credential> wrong -> wrong.problem().status() + " " + wrong.problem().slug();
        };
    }

    private void issue(String token, String columns, String values) {
        IngestWorld.execute(url, "INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id, %s) VALUES (sha256('%s'), 'acme', %s)"
                .formatted(columns, token, values));
    }

    private void pass(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    @Test
    void what_postgres_said_about_a_token_holds_for_five_seconds() {
        assertThat(authenticate("test_acme")).isEqualTo("acme");
        assertThat(authenticate("test_new")).isEqualTo("401 unauthenticated");
        IngestWorld.execute(url, "UPDATE chargeonce.merchant_token SET revoked_at = now() WHERE revoked_at IS NULL");
        IngestWorld.execute(url, "INSERT INTO chargeonce.merchant_token VALUES (sha256('test_new'), 'acme')");

        pass(Duration.ofMillis(4_999));
        assertThat(authenticate("test_acme")).isEqualTo("acme");
        assertThat(authenticate("test_new")).isEqualTo("401 unauthenticated");

        pass(Duration.ofMillis(1));
        assertThat(authenticate("test_acme")).isEqualTo("401 token-revoked");
        assertThat(result(merchants.authenticate(List.of("bearer test_new"), Scope.PAY, CLIENT))).isEqualTo("acme");
    }

    @Test
    void two_credentials_in_one_request_are_none() {
        assertThat(result(merchants.authenticate(List.of("Bearer test_acme", "Bearer test_globex"), Scope.PAY, CLIENT)))
                .isEqualTo("401 unauthenticated");
        assertThat(result(merchants.authenticate(List.of(), Scope.PAY, CLIENT))).isEqualTo("401 unauthenticated");
    }

    @Test
    void a_token_is_refused_from_its_expiry_on() {
        issue("test_short", "expires_at", "now() + interval '1 hour'");
        issue("test_over", "expires_at", "now() - interval '1 second'");
        assertThat(authenticate("test_over")).isEqualTo("401 token-expired");
        assertThat(authenticate("test_short")).isEqualTo("acme");
        IngestWorld.execute(url, "UPDATE chargeonce.merchant_token SET expires_at = now() WHERE token_sha256 = sha256('test_short')");
        pass(Duration.ofSeconds(5));
        assertThat(authenticate("test_short")).isEqualTo("401 token-expired");
    }

    @Test
    void a_token_is_good_for_its_scopes_only() {
        issue("test_till", "scopes", "'{pay,read}'");
        assertThat(authenticate("test_till", Scope.PAY, CLIENT)).isEqualTo("acme");
        assertThat(authenticate("test_till", Scope.READ, CLIENT)).isEqualTo("acme");
        assertThat(authenticate("test_till", Scope.REFUND, CLIENT)).isEqualTo("403 scope-missing");
    }

    @Test
    void a_token_with_addresses_comes_from_these_only() {
        issue("test_office", "addresses", "'{198.51.100.0/24,2001:db8::/32}'");
        assertThat(authenticate("test_office", Scope.PAY, AddressRange.parse("198.51.100.200").first())).isEqualTo("acme");
        assertThat(authenticate("test_office", Scope.PAY, AddressRange.parse("2001:db8:1::9").first())).isEqualTo("acme");
        assertThat(authenticate("test_office", Scope.PAY, AddressRange.parse("198.51.101.1").first())).isEqualTo("403 address-not-allowed");
        assertThat(authenticate("test_office", Scope.PAY, AddressRange.parse("2001:db9::9").first())).isEqualTo("403 address-not-allowed");
    }

    @Test
    void ten_thousand_guesses_push_out_no_token_that_was_issued() {
        assertThat(authenticate("test_acme")).isEqualTo("acme");
        IngestWorld.execute(url, "UPDATE chargeonce.merchant_token SET revoked_at = now() WHERE revoked_at IS NULL");
        for (int guess = 0; guess < 20_000; guess++) {
            merchants.guessed(ByteBuffer.wrap(Sha256.of("guess " + guess)), now.get().plusSeconds(5));
        }
        // Postgres would say otherwise by now.
        assertThat(authenticate("test_acme")).isEqualTo("acme");
    }

    /** CoalescerTest tests that lines take turns. */
    @Test
    void a_guess_waits_in_the_line_of_its_network_and_a_token_in_the_line_of_its_merchant() {
        InetAddress other = AddressRange.parse("198.51.100.9").first();
        authenticate("test_acme");
        authenticate("test_guess");
        pass(Duration.ofSeconds(6));
        assertThat(merchants.line(digest("test_guess"), CLIENT)).isEqualTo(ClientNetwork.of(CLIENT));
        assertThat(merchants.line(digest("test_not_asked_yet"), other)).isEqualTo(ClientNetwork.of(other));
        assertThat(merchants.line(digest("test_acme"), CLIENT)).isEqualTo("acme");
    }

    /** A client that has one of these addresses has all of them. */
    @Test
    void guesses_from_all_addresses_of_an_ipv6_64_wait_in_one_line() {
        Object line = merchants.line(digest("test_guess"), AddressRange.parse("2001:db8:1:2::1").first());
        assertThat(merchants.line(digest("test_other"), AddressRange.parse("2001:db8:1:2:ffff::9").first())).isEqualTo(line);
        assertThat(merchants.line(digest("test_other"), AddressRange.parse("2001:db8:1:3::1").first())).isNotEqualTo(line);
    }

    private static ByteBuffer digest(String token) {
        return ByteBuffer.wrap(Sha256.of(token));
    }

    @Test
    void which_tokens_were_used_is_written_behind_the_requests_and_not_again_within_five_minutes() {
        authenticate("test_acme");
        authenticate("test_no_such");
        var use = new TokenUse(database, merchants);
        assertThat(use.runOnce()).isOne();
        assertThat(use.runOnce()).isZero();
        String used =
                "SELECT count(*) FROM token_use JOIN merchant_token USING (token_sha256) WHERE merchant_id = 'acme' AND used_at > now() "
                        + "- interval '1 hour'";
        assertThat(IngestWorld.count(url, used)).isOne();
        long version = IngestWorld.count(url, "SELECT xmin::text::bigint FROM token_use");
        authenticate("test_acme");
        assertThat(use.runOnce()).isOne();
        assertThat(IngestWorld.count(url, "SELECT xmin::text::bigint FROM token_use")).isEqualTo(version);
        IngestWorld.execute(url, "UPDATE chargeonce.token_use SET used_at = now() - interval '6 minutes'");
        authenticate("test_acme");
        use.runOnce();
        assertThat(IngestWorld.count(url, "SELECT count(*) FROM token_use WHERE used_at > now() - interval '1 minute'")).isOne();
    }
}
