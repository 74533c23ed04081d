// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.app.SettingsAgreement;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.StartFailed;
import io.chargeonce.sandbox.TestStack;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One process with other settings would decide about the rows of all. */
class SettingsAgreementTest {

    private static final List<Duration> THREE = List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMinutes(1));
    private static final List<Duration> TWO = THREE.subList(0, 2);

    private final String url = TestStack.newDatabase();
    private final StringWriter said = new StringWriter();
    private Database database;

    @BeforeEach
    void migrate() {
        Migrations.apply(url, "postgres", "");
        database = Database.open(url, "postgres", "", 1);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private PipelineSettings with(List<Duration> tiers) {
        return with("/chargeonce", tiers);
    }

    private PipelineSettings with(String source, List<Duration> tiers) {
        return new PipelineSettings(url, "postgres", () -> "", TestStack.kafka().bootstrapServers(), Optional.empty(), "payments", source,
                tiers, Optional.empty(), Optional.empty());
    }

    private SettingsAgreement agreement(List<Duration> tiers) {
        return new SettingsAgreement(with(tiers), new PrintWriter(said, true));
    }

    private AgreedSettings agreed() {
        return database.withConnection(AgreedSettings::read);
    }

    @Test
    void the_first_migrate_sets_the_tiers_and_a_later_one_with_others_changes_them_only_if_it_is_told_to() {
        assertThat(agreement(TWO).isMet()).as("nothing is agreed yet").isTrue();
        assertThat(agreement(THREE).onTiers(false)).isTrue();
        assertThat(agreed().tiers()).contains(THREE);

        assertThat(agreement(TWO).isMet()).isFalse();
        assertThat(agreement(TWO).onTiers(false)).isFalse();
        assertThat(agreed().tiers()).contains(THREE);
        assertThat(said.toString()).contains("CHARGEONCE_RETRY_TIERS is 1s,2s here, and 1s,2s,1m is agreed", "--agree-tiers");

        assertThat(agreement(TWO).onTiers(true)).isTrue();
        assertThat(agreed().tiers()).contains(TWO);
    }

    @Test
    void the_first_migrate_sets_the_source_of_events_and_a_later_one_with_another_changes_it_only_if_it_is_told_to() {
        assertThat(agreement(TWO).isMet()).as("nothing is agreed yet").isTrue();
        assertThat(agreement(TWO).onSource(false)).isTrue();
        assertThat(agreed().source()).contains("/chargeonce");

        var other = new SettingsAgreement(with("/eu", TWO), new PrintWriter(said, true));
        assertThat(other.isMet()).isFalse();
        assertThat(other.onSource(false)).isFalse();
        assertThat(agreed().source()).contains("/chargeonce");
        assertThat(said.toString()).contains("CHARGEONCE_EVENT_SOURCE is /eu here, and /chargeonce is agreed", "--agree-source");

        assertThat(other.onSource(true)).isTrue();
        assertThat(agreed().source()).contains("/eu");
    }

    @Test
    void a_service_with_another_source_does_not_start() {
        agreement(TWO).onSource(false);
        try (var meters = Meters.of("test")) {
            for (Runnable start : List.<Runnable>of(() -> ChargeService.start(charging(with("/eu", TWO)), meters),
                    () -> RetryService.start(charging(with("/eu", TWO)), meters),
                    () -> IngestService.start(new IngestSettings(with("/eu", TWO), new Address("127.0.0.1", 0), 16,
                            Duration.ofHours(24)), meters))) {
                assertThatThrownBy(start::run).isInstanceOf(StartFailed.class)
                        .hasMessageContaining("CHARGEONCE_EVENT_SOURCE is /eu here, and /chargeonce is agreed");
            }
        }
    }

    private static ChargeSettings charging(PipelineSettings pipeline) {
        return new ChargeSettings(pipeline, List.of(new StripeSettings("sk_test_1", "http://127.0.0.1:1", Duration.ofSeconds(1))),
                10, Duration.ofSeconds(10), Duration.ofSeconds(1), List.of(Duration.ofSeconds(1)), Duration.ofMinutes(1),
                Optional.empty(), ChargeSettings.Pace.USUAL);
    }

    @Test
    void a_service_with_other_tiers_does_not_start_and_says_what_to_do() {
        agreement(THREE).onTiers(false);
        ChargeSettings settings = charging(with(TWO));
        try (var meters = Meters.of("test")) {
            for (Runnable start : List.<Runnable>of(() -> ChargeService.start(settings, meters),
                    () -> RetryService.start(settings, meters))) {
                assertThatThrownBy(start::run).isInstanceOf(StartFailed.class)
                        .hasMessageContaining("CHARGEONCE_RETRY_TIERS is 1s,2s here, and 1s,2s,1m is agreed");
            }
        }
    }

    @Test
    void a_shorter_retention_says_what_it_would_delete_and_is_set_only_by_a_command_that_is_sure() {
        database.withConnection(connection -> connection.createStatement().execute("""
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path,
                                             resource_id, created_at)
                SELECT 'acme', n::text, sha256(''), 1, '/v1/payments', n::text, now() - n * interval '1 day' + interval '1 hour'
                  FROM generate_series(1, 150) AS n"""));
        assertThat(agreement(THREE).onRetention(100, false)).isFalse();
        assertThat(said.toString()).contains("up to 50 payments", "Nothing was changed");
        assertThat(agreed().retention()).isEqualTo(Duration.ofDays(400));

        assertThat(agreement(THREE).onRetention(100, true)).isTrue();
        assertThat(agreed().retention()).isEqualTo(Duration.ofDays(100));
        assertThat(agreement(THREE).onRetention(500, false)).as("a longer one deletes nothing").isTrue();
        assertThat(agreed().retention()).isEqualTo(Duration.ofDays(500));
    }
}
