package io.chargeonce.ingest.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.TestStack;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MerchantCommandTest {

    private static String url;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void migrate() {
        url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
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
        assertThat(err.toString()).contains("umbrella is there already");

        assertThat(run("list", "--json")).isZero();
        assertThat(out.toString()).contains("\"merchant\":\"umbrella\",\"requests_per_second\":50,\"duplicate_window_ms\":120000,"
                + "\"represent_declines\":false,\"tokens\":0");
        assertThat(run("set", "umbrella", "--requests-per-second", "0")).isZero();
        assertThat(run("list", "--json")).isZero();
        assertThat(out.toString()).contains("\"merchant\":\"umbrella\",\"duplicate_window_ms\":120000");
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'umbrella' AND actor LIKE 'operator:%'")).isEqualTo(3);
    }

    @Test
    void soft_declines_are_presented_again_only_where_it_was_switched_on() {
        run("add", "oscorp", "--represent-declines", "on");
        String optedIn = "SELECT count(*) FROM merchant WHERE merchant_id = 'oscorp' AND represent_declines";
        assertThat(count(optedIn)).isOne();
        run("set", "oscorp", "--duplicate-window", "1s");
        assertThat(count(optedIn)).isOne();
        run("list");
        assertThat(out.toString()).containsPattern("oscorp +any +1000ms +on ");
        assertThat(run("set", "oscorp", "--represent-declines", "perhaps")).isEqualTo(2);
        assertThat(run("set", "oscorp", "--represent-declines", "off")).isZero();
        assertThat(count(optedIn)).isZero();
        assertThat(count("SELECT count(*) FROM audit_record WHERE resource_id = 'oscorp' AND data ->> 'represent_declines' = 'false'")).isOne();
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
        assertThat(count("SELECT count(*) FROM merchant_token WHERE token_sha256 = sha256('" + token + "') AND revoked_at IS NOT NULL")).isOne();
        assertThat(run("token", "revoke", id)).isEqualTo(1);
        assertThat(run("token", "list", "--json")).isZero();
        assertThat(out.toString()).contains("\"token\":\"" + id + "\",\"merchant\":\"wayne\"").contains("revoked_at");
    }

    @Test
    void what_makes_no_sense_is_said_and_changes_nothing() {
        assertThat(run("add", "No Such")).isEqualTo(2);
        assertThat(run("add", "fine", "--duplicate-window", "ten")).isEqualTo(2);
        assertThat(run("add", "fine", "--duplicate-window", "25h")).isEqualTo(2);
        assertThat(run("add", "fine", "--requests-per-second", "-1")).isEqualTo(2);
        assertThat(run("set", "nobody", "--requests-per-second", "1")).isEqualTo(1);
        assertThat(run("token", "new", "nobody")).isEqualTo(1);
        assertThat(run("token", "revoke", "' OR true --")).isEqualTo(1);
        assertThat(run()).isEqualTo(2);
        assertThat(run("token")).isEqualTo(2);
        assertThat(count("SELECT count(*) FROM merchant WHERE merchant_id = 'fine'")).isZero();
    }
}
