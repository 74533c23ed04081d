// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.sandbox.bank.ReadFile;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A mandate that cannot be read holds no other, and a missing key fails no payment. */
class UnreadableMandateTest {

    private BankWorld world;
    private BankAccount account;
    private Outbound outbound;

    @BeforeEach
    void start() {
        world = new BankWorld();
        account = world.account(Duration.ofHours(1));
        outbound = world.outbound(account);
        outbound.runOnce();
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private void isSent(Outbound outbound) {
        await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT string_agg(state, ',') FROM bank_batch")).isEqualTo("sent");
        });
    }

    @Test
    void its_item_is_in_no_file_ever_and_the_others_go() {
        List<String> strange = world.collected(world.unreadableMandate("of-another"), 500, 2);
        List<String> keys = world.collected(world.mandate("m1"), 1_299, 3);
        isSent(outbound);
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.bank.executed()).hasSize(1));
        assertThat(world.bank.executed().getFirst().items()).extracting(ReadFile.Item::endToEndId)
                .containsExactlyInAnyOrderElementsOf(keys);
        assertThat(world.text("SELECT items || ' ' || total FROM bank_batch")).isEqualTo("3 3897");
        assertThat(world.text("SELECT count(*) FROM bank_batch_item WHERE fenced AND batch_id IS NULL AND note LIKE 'mandate %'"))
                .isEqualTo("2");
        assertThat(world.text("SELECT string_agg(resource_id, ',' ORDER BY resource_id) FROM audit_record WHERE action = 'bank.set_aside'"))
                .isEqualTo(String.join(",", strange));
    }

    @Test
    void without_the_key_of_any_nothing_is_given_up_and_all_go_once_it_is_there() throws IOException {
        world.collected(world.mandate("m1"), 1_299, 3);
        var meters = new SimpleMeterRegistry();
        var keyless = new Outbound(account, world.database, world.anotherKey(), Optional.empty(), meters);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            keyless.runOnce();
            assertThat(meters.get("chargeonce.bank.upload.failures").counter().count()).isPositive();
        });
        keyless.runOnce();
        assertThat(meters.get("chargeonce.bank.upload.oldest").timeGauge().value(TimeUnit.SECONDS)).as("the alert").isPositive();
        assertThat(world.text("SELECT count(*) FROM bank_batch")).isEqualTo("0");
        assertThat(world.text("SELECT count(*) FROM bank_batch_item WHERE NOT fenced")).isEqualTo("3");
        isSent(outbound);
    }

    @Test
    void if_the_key_is_lost_its_mandates_are_revoked_and_what_waits_is_given_up() throws IOException {
        world.collected(world.mandate("m1"), 1_299, 3);
        var keyless = new Outbound(account, world.database, world.anotherKey(), Optional.empty(), new SimpleMeterRegistry());
        keyless.runOnce();
        assertThat(world.text("SELECT given_up || ' ' || in_files FROM revoke_mandate('mandate_m1')")).isEqualTo("3 0");
    }
}
