package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.sandbox.TestStack;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MerchantsTest {

    private static final Checked<Merchant> ACME = new Checked.Right<>(new Merchant("acme", java.util.Optional.empty()));
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    @Test
    void what_postgres_said_about_a_token_holds_for_five_seconds() {
        String url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        try (var database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 2); var merchants = new Merchants(database, now::get)) {
            assertThat(merchants.authenticate(List.of("Bearer test_acme"))).isEqualTo(ACME);
            assertThat(merchants.authenticate(List.of("Bearer test_new"))).isInstanceOf(Checked.Wrong.class);
            IngestWorld.execute(url, "UPDATE chargeonce.merchant_token SET revoked_at = now() WHERE revoked_at IS NULL");
            IngestWorld.execute(url, "INSERT INTO chargeonce.merchant_token VALUES (sha256('test_new'), 'acme')");

            now.updateAndGet(time -> time.plus(Duration.ofMillis(4_999)));
            assertThat(merchants.authenticate(List.of("Bearer test_acme"))).isEqualTo(ACME);
            assertThat(merchants.authenticate(List.of("Bearer test_new"))).isInstanceOf(Checked.Wrong.class);

            now.updateAndGet(time -> time.plus(Duration.ofMillis(1)));
            assertThat(merchants.authenticate(List.of("Bearer test_acme"))).isInstanceOf(Checked.Wrong.class);
            assertThat(merchants.authenticate(List.of("bearer test_new"))).isEqualTo(ACME);
        }
    }

    @Test
    void two_credentials_in_one_request_are_none() {
        String url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        try (var database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 2); var merchants = new Merchants(database, now::get)) {
            assertThat(merchants.authenticate(List.of("Bearer test_acme", "Bearer test_globex"))).isInstanceOf(Checked.Wrong.class);
            assertThat(merchants.authenticate(List.of())).isInstanceOf(Checked.Wrong.class);
        }
    }
}
