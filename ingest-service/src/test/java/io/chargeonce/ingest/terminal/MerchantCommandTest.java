// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.ingest.merchants.MerchantTable;
import io.chargeonce.ingest.merchants.ReceiptTerms;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenTable;
import io.chargeonce.payment.DeclineFailover;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MerchantCommandTest {

    private static String url;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void migrate() {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new MerchantCommand(() -> Database.open(url, "postgres", "", 1)).commandLine()
                .setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    }

    private static long count(String sql) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_merchant_is_added_once_and_listed_with_its_terms() {
        assertThat(run("add", "umbrella", "--requests-per-second", "50", "--duplicate-window", "2m")).isZero();
        assertThat(run("add", "umbrella")).isEqualTo(1);
        assertThat(err.toString()).contains("umbrella exists already");

        assertThat(run("list", "--json")).isZero();
        assertThat(out.toString()).contains("\"merchant\":\"umbrella\",\"requests_per_second\":50,\"duplicate_window_ms\":120000,"
                + "\"represent_declines\":false,\"decline_failover\":\"never\",\"tokens\":0");
        assertThat(run("set", "umbrella", "--requests-per-second", "0")).isZero();
        assertThat(run("list", "--json")).isZero();
        assertThat(out.toString()).contains("\"merchant\":\"umbrella\",\"duplicate_window_ms\":120000");
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'umbrella' AND actor = 'postgres' AND origin = '"
                + System.getProperty("user.name") + "'")).isEqualTo(3);
    }

    @Test
    void soft_declines_are_presented_again_only_where_it_was_switched_on() {
        run("add", "oscorp", "--represent-declines", "on");
        String optedIn = "SELECT count(*) FROM merchant WHERE merchant_id = 'oscorp' AND represent_declines";
        assertThat(count(optedIn)).isOne();
        run("set", "oscorp", "--duplicate-window", "1s");
        assertThat(count(optedIn)).isOne();
        run("list");
        assertThat(out.toString()).containsPattern("oscorp +any +1s +on ");
        assertThat(run("set", "oscorp", "--represent-declines", "perhaps")).isEqualTo(2);
        assertThat(run("set", "oscorp", "--represent-declines", "off")).isZero();
        assertThat(count(optedIn)).isZero();
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'oscorp' AND data ->> 'represent_declines' = 'false'"))
                .isOne();
        assertThat(run("set", "oscorp", "--decline-failover", "always")).isEqualTo(2);
        assertThat(run("set", "oscorp", "--decline-failover", "technical")).isZero();
        assertThat(count("SELECT count(*) FROM merchant WHERE merchant_id = 'oscorp' AND decline_failover = 'technical'")).isOne();
        assertThat(run("set", "oscorp", "--represent-declines", "off")).isZero();
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'oscorp' AND data ->> 'decline_failover' = 'technical'"))
                .as("what is not named stays").isEqualTo(2);
    }

    @Test
    void merchants_and_tokens_fit_a_window_of_80_columns() {
        var at = Instant.parse("2026-11-27T04:05:21.123456Z");
        var merchant = new MerchantTable.Entry("a-merchant-with-a-name", Optional.of(2000), Duration.ofSeconds(10), true,
                DeclineFailover.NEVER, ReceiptTerms.NONE, 2, at);
        assertThat(inWindow(ListMerchants.COLUMNS, merchant)).contains("a-merchant-with-a-name", "2026-11-27T04:05:21Z", " 10s ");
        var token = new TokenTable.Entry("0123456789ab", "a-merchant-with-a-name", EnumSet.allOf(Scope.class), List.of("192.0.2.0/24"), at,
                Optional.of(at), Optional.empty(), Optional.of(at));
        assertThat(inWindow(TokenCommand.COLUMNS, token)).contains("0123456789ab", "192.0.2.0/24", "2026-11-27T04:05:21Z");
    }

    private static <R> String inWindow(List<Column<R>> columns, R row) {
        var text = new StringWriter();
        Table.withEveryColumn(Screen.plain(new PrintWriter(text), 80), columns).print(List.of(row));
        assertThat(text.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        return text.toString();
    }

    @Test
    void setting_nothing_is_wrong_usage_and_not_on_record() {
        run("add", "cyberdyne");
        String changes = "SELECT count(*) FROM audit_record WHERE resource_id = 'cyberdyne'";
        long before = count(changes);
        assertThat(run("set", "cyberdyne")).isEqualTo(2);
        assertThat(count(changes)).isEqualTo(before);
    }

    @Test
    void a_token_is_shown_once_and_only_its_digest_is_kept() {
        run("add", "stark");
        assertThat(run("token", "new", "stark")).isZero();
        String token = out.toString().strip();

        assertThat(token).matches("cot_[A-Za-z0-9_-]{43}");
        assertThat(count("SELECT count(*) FROM merchant_token WHERE token_sha256 = sha256('" + token + "')")).isOne();
        assertThat(count("SELECT count(*) FROM audit_record WHERE audit_record::text LIKE '%" + token + "%'")).isZero();
        run("token", "list");
        assertThat(out.toString()).contains("stark").doesNotContain(token);
    }

    @Test
    void a_token_is_revoked_by_its_id_once() {
        run("add", "wayne");
        run("token", "new", "wayne");
        String token = out.toString().strip();
        String id = err.toString().replaceAll("(?s).*token ([0-9a-f]{12}) of wayne.*", "$1");

        assertThat(run("token", "revoke", id)).isZero();
        assertThat(count("SELECT count(*) FROM merchant_token WHERE token_sha256 = sha256('" + token + "') AND revoked_at IS NOT NULL"))
                .isOne();
        assertThat(run("token", "revoke", id)).isEqualTo(1);
        assertThat(run("token", "list", "--json")).isZero();
        assertThat(out.toString()).contains("\"token\":\"" + id + "\",\"merchant\":\"wayne\"").contains("revoked_at");
    }

    @Test
    void no_property_of_the_client_changes_who_is_named() {
        String said = System.setProperty("user.name", "the boss");
        try {
            run("add", "tyrell");
        } finally {
            System.setProperty("user.name", said);
        }
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'tyrell' AND actor = 'postgres' AND origin = 'the boss'"))
                .isEqualTo(2);
    }

    @Test
    void a_token_is_made_for_scopes_addresses_and_a_time() {
        run("add", "weyland");
        assertThat(run("token", "new", "weyland", "--scopes", "pay,read", "--from", "192.0.2.77/24,2001:db8::/32", "--expires-in", "90d"))
                .isZero();
        assertThat(count("""
                SELECT count(*) FROM merchant_token WHERE merchant_id = 'weyland' AND scopes = '{pay,read}'
                   AND addresses = '{192.0.2.0/24,2001:db8::/32}' AND expires_at = created_at + interval '90 days'""")).isOne();
        run("token", "list");
        assertThat(out.toString()).containsPattern("weyland +pay,read .* 192.0.2.0/24,2001:db8::/32");
        run("token", "list", "--json");
        assertThat(out.toString()).contains("\"scopes\":[\"pay\",\"read\"]", "\"expires_at\":");
        for (String[] wrong : new String[][] {{"--scopes", "steal"}, {"--from", "office.example.com"}, {"--from", "192.0.2.0/33"},
            {"--expires-in", "soon"}, {"--expires-in", "0d"}}) {
            assertThat(run("token", "new", "weyland", wrong[0], wrong[1])).as(wrong[1]).isEqualTo(2);
        }
        assertThat(count("SELECT count(*) FROM merchant_token WHERE merchant_id = 'weyland'")).isOne();
    }

    @Test
    void a_rotated_token_and_the_new_one_are_both_valid_during_the_overlap() {
        run("add", "nakatomi");
        run("token", "new", "nakatomi", "--scopes", "pay", "--expires-in", "90d");
        String id = err.toString().replaceAll("(?s).*token ([0-9a-f]{12}) of nakatomi.*", "$1");
        assertThat(run("token", "rotate", id, "--overlap", "12h")).isZero();
        assertThat(out.toString().strip()).matches("cot_[A-Za-z0-9_-]{43}");
        assertThat(err.toString()).contains("in place of " + id);
        assertThat(count("SELECT count(*) FROM merchant_token WHERE merchant_id = 'nakatomi' AND scopes = '{pay}' AND revoked_at IS NULL"))
                .isEqualTo(2);
        assertThat(count("SELECT count(*) FROM merchant_token WHERE merchant_id = 'nakatomi' AND expires_at < now() + interval '13 hours'"))
                .isOne();
        assertThat(count("SELECT count(*) FROM merchant_token WHERE merchant_id = 'nakatomi' AND expires_at > now() + interval '89 days'"))
                .isOne();
        assertThat(run("token", "rotate", id, "--overlap", "30d")).isZero();
        assertThat(count("SELECT count(*) FROM merchant_token WHERE merchant_id = 'nakatomi' AND expires_at < now() + interval '13 hours'"))
                .isOne();
        run("token", "revoke", id);
        assertThat(run("token", "rotate", id)).isEqualTo(1);
        assertThat(count("SELECT count(*) FROM audit_record WHERE action = 'token.rotated' AND resource_id = '" + id + "'")).isEqualTo(2);
    }

    @Test
    void what_makes_no_sense_is_said_and_changes_nothing() {
        assertThat(run("add", "No Such")).isEqualTo(2);
        assertThat(run("add", "fine", "--duplicate-window", "ten")).isEqualTo(2);
        assertThat(run("add", "fine", "--duplicate-window", "25h")).isEqualTo(2);
        assertThat(run("add", "fine", "--requests-per-second", "-1")).isEqualTo(2);
        assertThat(run("set", "unknown", "--requests-per-second", "1")).isEqualTo(1);
        assertThat(run("token", "new", "unknown")).isEqualTo(1);
        assertThat(run("token", "revoke", "' OR true --")).isEqualTo(1);
        assertThat(run()).isEqualTo(2);
        assertThat(run("token")).isEqualTo(2);
        assertThat(count("SELECT count(*) FROM merchant WHERE merchant_id = 'fine'")).isZero();
    }
}
