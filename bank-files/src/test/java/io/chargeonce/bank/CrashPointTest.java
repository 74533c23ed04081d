// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.bank.outbound.Submitter;
import io.chargeonce.sandbox.bank.BankBehaviour;
import io.chargeonce.sandbox.bank.ReadFile;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file on its way, killed at each step, over a line and a disk that break: the bank executes one file, and each item once. */
class CrashPointTest {

    private BankWorld world;
    private BankAccount account;
    private Outbound outbound;
    private List<String> keys;

    @BeforeEach
    void collect() {
        world = new BankWorld();
        account = world.account(Duration.ofHours(1));
        outbound = world.outbound(account);
        outbound.runOnce();
        keys = world.collected(world.mandate("m1"), 1_299, 3);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private void isSent() {
        await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            world.execute("UPDATE bank_batch SET try_at = now()");
            outbound.runOnce();
            assertThat(world.text("SELECT string_agg(state, ',') FROM bank_batch")).isEqualTo("sent");
        });
    }

    private void isExecutedOnce() {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.bank.executed()).hasSize(1));
        assertThat(world.bank.executed().getFirst().items()).extracting(ReadFile.Item::endToEndId)
                .containsExactlyInAnyOrderElementsOf(keys);
        assertThat(world.bank.movements()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(value = BankBehaviour.class, names = {"CUT_AFTER_WRITE", "CUT_AFTER_RENAME"})
    void a_connection_that_breaks_after_the_write_or_after_the_rename_leaves_one_file(BankBehaviour cut) {
        world.bank.tell(cut);
        isSent();
        isExecutedOnce();
        assertThat(world.bank.files().resolve("incoming").toFile().list()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = BankBehaviour.class, names = {"PERMISSION_DENIED", "DISK_FULL"})
    void a_refused_or_full_disk_is_an_error_and_no_success_and_the_file_goes_once_it_can(BankBehaviour trouble) {
        var meters = new SimpleMeterRegistry();
        outbound = new Outbound(account, world.database, world.opens, Optional.empty(), meters);
        var oldest = meters.get("chargeonce.bank.upload.oldest").tag("bank", "bank").timeGauge();
        world.bank.tell(trouble);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT tries FROM bank_batch")).isNotIn("0", "(none)");
        });
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("uploading");
        assertThat(world.text("SELECT last_error IS NOT NULL FROM bank_batch")).isEqualTo("t");
        assertThat(world.bank.executed()).isEmpty();
        outbound.runOnce();
        assertThat(oldest.value(TimeUnit.SECONDS)).as("how long it has had to go").isPositive();
        world.bank.tellNoMore(trouble);
        isSent();
        outbound.runOnce();
        assertThat(oldest.value(TimeUnit.SECONDS)).isZero();
        isExecutedOnce();
    }

    /** As if the process had died right after it wrote that state, or before the step that follows it was answered. */
    @ParameterizedTest
    @ValueSource(strings = {"rendered", "uploading", "uploaded", "renaming"})
    void a_process_that_dies_in_any_state_leaves_one_file(String state) throws IOException {
        // Rendered, and no further: the bank cannot be reached.
        world.bank.tell(BankBehaviour.PERMISSION_DENIED);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("uploading");
        });
        world.bank.tellNoMore(BankBehaviour.PERMISSION_DENIED);
        Path temporary = world.bank.files().resolve("incoming").resolve(world.text("SELECT file_name FROM bank_batch") + ".part");
        if (state.equals("uploading")) {
            Files.writeString(temporary, "half of it, and longer than nothing", StandardOpenOption.CREATE);
        }
        if (state.equals("uploaded") || state.equals("renaming")) {
            Files.write(temporary, wholeFile());
        }
        world.execute("UPDATE bank_batch SET state = '%s'".formatted(state));
        outbound = world.outbound(account);
        isSent();
        isExecutedOnce();
    }

    @Test
    void a_rename_whose_answer_was_lost_with_the_process_is_not_repeated() throws IOException {
        isSent();
        isExecutedOnce();
        world.execute("UPDATE bank_batch SET state = 'renaming'");
        outbound = world.outbound(account);
        isSent();
        isExecutedOnce();
    }

    private byte[] wholeFile() throws IOException {
        var bytes = new java.io.ByteArrayOutputStream();
        io.chargeonce.bank.store.StoredFile.copy(world.database, world.opens, "out/" + world.text("SELECT message_id FROM bank_batch"),
                bytes);
        return bytes.toByteArray();
    }

    @Test
    void a_foreign_file_under_our_name_stops_the_rename_and_is_never_overwritten() throws IOException {
        world.bank.tell(BankBehaviour.PERMISSION_DENIED);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("uploading");
        });
        world.bank.tellNoMore(BankBehaviour.PERMISSION_DENIED);
        // A directory, because the bank would take a file away.
        Path foreign =
                Files.createDirectory(world.bank.files().resolve("incoming").resolve(world.text("SELECT file_name FROM bank_batch")));
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            world.execute("UPDATE bank_batch SET try_at = now()");
            outbound.runOnce();
            assertThat(world.text("SELECT last_error FROM bank_batch")).contains("that is not from this upload");
        });
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("renaming");
        assertThat(foreign).isDirectory();
    }

    @Test
    void the_same_bytes_sent_again_by_a_person_are_refused_by_the_bank_and_move_nothing_twice() {
        isSent();
        isExecutedOnce();
        String sha256 = world.text("SELECT encode(sha256, 'hex') FROM bank_batch");
        world.execute("UPDATE bank_batch SET state = 'rendered', resends = 1");
        isSent();
        var inbound = world.inbound(account);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            inbound.runOnce();
            assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE message = 'pain.002'")).isEqualTo("2");
        });
        isExecutedOnce();
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("accepted");
        assertThat(world.text("SELECT count(*) FROM bank_line WHERE kind = 'file_rejected'")).isEqualTo("0");
        assertThat(world.text("SELECT encode(sha256, 'hex') FROM bank_batch")).isEqualTo(sha256);
    }

    @Test
    void a_payment_is_settled_as_not_charged_only_once_its_file_is_there_and_that_file_is_never_sent_again() {
        String giveUp = "SELECT give_up_for_bank('%s')".formatted(keys.getFirst());
        assertThat(world.text(giveUp)).isEqualTo("f");
        world.bank.tell(BankBehaviour.PERMISSION_DENIED);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("uploading");
        });
        assertThat(world.text(giveUp)).isEqualTo("f");
        world.bank.tellNoMore(BankBehaviour.PERMISSION_DENIED);
        isSent();
        assertThat(world.text(giveUp)).isEqualTo("t");
        assertThatThrownBy(() -> world.execute("UPDATE bank_batch SET state = 'rendered', resends = 1"))
                .hasMessageContaining("settled as not charged");
        isExecutedOnce();
    }

    @Test
    void a_rejection_frees_nothing_of_a_file_that_was_sent_twice() {
        world.bank.tell(BankBehaviour.LATE);
        isSent();
        world.execute("UPDATE bank_batch SET resends = 1");
        reject(world.text("SELECT message_id FROM bank_batch"));
        assertThat(world.text("SELECT quarantined FROM bank_file_in WHERE file_name = 'refused.xml'")).contains("sent twice");
        assertThat(world.text("SELECT count(*) FROM bank_line WHERE kind = 'file_rejected'")).isEqualTo("0");
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
    }

    @Test
    void an_answer_to_one_file_says_nothing_about_the_items_of_another() throws IOException {
        world.bank.tell(BankBehaviour.LATE);
        isSent();
        String first = world.text("SELECT message_id FROM bank_batch");
        world.collected("mandate_m1", 700);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT count(*) FROM bank_batch WHERE state = 'sent'")).isEqualTo("2");
        });
        var inbound = world.inbound(account);
        Files.writeString(world.bank.files().resolve("outgoing").resolve("mixed.xml"), """
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>S1</MsgId></GrpHdr>
                 <OrgnlGrpInfAndSts><OrgnlMsgId>%s</OrgnlMsgId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><TxInfAndSts>
                  <OrgnlEndToEndId>%s</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></TxInfAndSts>
                 </OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"""
                .formatted(first, world.text("SELECT psp_key FROM bank_batch_item ORDER BY item_id DESC LIMIT 1")));
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            inbound.runOnce();
            assertThat(world.text("SELECT quarantined FROM bank_file_in")).contains("another file than the one that it answers");
        });
        assertThat(world.text("SELECT count(*) FROM bank_line")).isEqualTo("0");
        assertThat(world.text("SELECT count(*) FROM bank_batch WHERE state = 'sent'")).isEqualTo("2");
    }

    @Test
    void an_earlier_window_of_new_settings_counts_from_the_next_start_on() {
        Windows daily = new Windows(ZoneId.of("Europe/Berlin"), List.of(LocalTime.NOON), Set.of(), 1, Duration.ZERO, Optional.empty());
        world.execute("UPDATE bank SET next_cutoff = now() + interval '9 days'");
        world.outbound(world.account(Duration.ofHours(1), daily)).runOnce();
        assertThat(world.text("SELECT next_cutoff < now() + interval '5 days' FROM bank")).isEqualTo("t");
        world.execute("UPDATE bank SET next_cutoff = now() - interval '1 hour'");
        world.outbound(world.account(Duration.ofHours(1), daily)).runOnce();
        assertThat(world.text("SELECT next_cutoff > now() FROM bank")).as("a missed one is passed over").isEqualTo("t");
    }

    private void reject(String message) {
        var inbound = world.inbound(account);
        try {
            Files.writeString(world.bank.files().resolve("outgoing").resolve("refused.xml"), """
                    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>S1</MsgId></GrpHdr>
                     <OrgnlGrpInfAndSts><OrgnlMsgId>%s</OrgnlMsgId><GrpSts>RJCT</GrpSts>
                      <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>"""
                    .formatted(message));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            inbound.runOnce();
            assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE file_name = 'refused.xml'")).isEqualTo("1");
        });
    }

    @Test
    void a_revoked_mandate_gives_up_what_waits_and_says_what_is_in_a_file() {
        isSent();
        world.collected("mandate_m1", 700, 2);
        assertThat(world.text("SELECT given_up || ' ' || in_files FROM revoke_mandate('mandate_m1')")).isEqualTo("2 3");
        outbound.runOnce();
        assertThat(world.text("SELECT count(*) FROM bank_batch")).isEqualTo("1");
        assertThat(world.text("SELECT count(*) FROM bank_batch_item WHERE fenced")).isEqualTo("2");
    }

    @Test
    void until_a_persons_time_after_a_restore_no_file_is_sealed_or_sent() {
        Outbound held = world.outbound(account, Optional.of(Instant.now().plus(Duration.ofHours(1))));
        world.execute("UPDATE bank SET next_cutoff = now()");
        held.runOnce();
        assertThat(world.text("SELECT count(*) FROM bank_batch")).isEqualTo("0");
        isSent();
    }

    @Test
    void neither_an_items_file_nor_a_files_bytes_can_be_changed() {
        isSent();
        assertThatThrownBy(() -> world.execute("UPDATE bank_batch_item SET batch_id = NULL")).hasMessageContaining("in one file only");
        assertThatThrownBy(() -> world.execute("UPDATE bank_batch SET sha256 = sha256('x')")).hasMessageContaining("rendered once");
        assertThatThrownBy(() -> world.execute("UPDATE bank_file_part SET sealed = ''")).hasMessageContaining("never change");
    }

    @Test
    void a_server_with_another_key_or_another_password_gets_nothing() throws IOException {
        Path other = Files.writeString(world.directory.resolve("others"), "[127.0.0.1]:%d ecdsa-sha2-nistp256 %s%n".formatted(
                world.bank.port(),
                "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5"
                        + "YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg="));
        Path wrong = Files.writeString(world.directory.resolve("wrong"), "wrong");
        for (var place : List.of(world.place(other, world.bank.passwordFile()), world.place(world.bank.knownHosts(), wrong))) {
            outbound = world.outbound(new BankAccount("bank", "CO", BankWorld.US, place, account.windows(), Duration.ofHours(1), 5));
            String before = world.text("SELECT coalesce(sum(tries), 0) FROM bank_batch");
            await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                world.execute("UPDATE bank_batch SET try_at = now()");
                outbound.runOnce();
                assertThat(world.text("SELECT coalesce(sum(tries), 0) FROM bank_batch")).isNotEqualTo(before);
            });
        }
        assertThat(world.bank.files().resolve("incoming").toFile().list()).isEmpty();
    }

    @Test
    void how_long_ago_the_banks_files_were_looked_at_grows_until_its_server_can_be_trusted() throws IOException {
        Path none = Files.createFile(world.directory.resolve("knows-none"));
        var meters = new SimpleMeterRegistry();
        var distrusted = new BankAccount("bank", "CO", BankWorld.US, world.place(none, world.bank.passwordFile()), account.windows(),
                Duration.ofHours(1), 5);
        var refused = new Inbound(distrusted, world.database, world.opens, BankWorld.KEYS, Inbound.LARGEST, Duration.ZERO, meters);
        refused.runOnce();
        double before = lookAge(meters);
        refused.runOnce();
        assertThat(lookAge(meters)).as("it is not set back by a look that failed").isGreaterThan(before);

        var others = new SimpleMeterRegistry();
        var trusted = new Inbound(account, world.database, world.opens, BankWorld.KEYS, Inbound.LARGEST, Duration.ZERO, others);
        double start = lookAge(others);
        long looking = System.nanoTime();
        trusted.runOnce();
        double lasted = (System.nanoTime() - looking) / 1e9;
        assertThat(lookAge(others)).as("it is set back by one that did not fail").isLessThan(start + lasted);
    }

    private static double lookAge(SimpleMeterRegistry meters) {
        return meters.get("chargeonce.bank.look.age").tag("bank", "bank").timeGauge().value(TimeUnit.SECONDS);
    }

    @Test
    void a_bank_that_is_not_registered_yet_waits_for_it() {
        assertThat(Submitter.alone(world.database, "another", fence -> 1)).isEmpty();
        assertThat(Submitter.alone(world.database, "bank", fence -> 1)).hasValue(1);
    }

    @Test
    void openssh_fetches_our_file_from_the_bank_byte_by_byte() throws Exception {
        isSent();
        isExecutedOnce();
        Path batch =
                Files.writeString(world.directory.resolve("commands"), "get archive/*.xml %s/fetched.xml%n".formatted(world.directory));
        Path ask = Files.writeString(world.directory.resolve("askpass"), "#!/bin/sh\ncat %s\n".formatted(world.bank.passwordFile()));
        assertThat(ask.toFile().setExecutable(true)).isTrue();
        var builder =
                new ProcessBuilder("sftp", "-P", Integer.toString(world.bank.port()), "-o", "UserKnownHostsFile=" + world.bank.knownHosts(),
                        "-o", "StrictHostKeyChecking=yes", "-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1",
                        world.bank.user() + "@127.0.0.1").redirectInput(batch.toFile()).redirectErrorStream(true);
        builder.environment().putAll(java.util.Map.of("SSH_ASKPASS", ask.toString(), "SSH_ASKPASS_REQUIRE", "force", "DISPLAY", ":0"));
        Process sftp = builder.start();
        assertThat(sftp.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(world.directory.resolve("fetched.xml")).hasBinaryContent(wholeFile());
    }
}
