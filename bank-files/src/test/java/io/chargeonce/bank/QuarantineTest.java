// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.sandbox.bank.BankBehaviour;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a bank's file that is set aside: a person closes it, or has it read again from the bytes that are here. */
class QuarantineTest {

    private static final String NO_BANK_SAYS_THIS = "<html>a login page</html>";

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private BankWorld world;
    private BankAccount account;
    private Outbound outbound;
    private Inbound inbound;
    private CommandOfAPerson person;

    @BeforeEach
    void start() {
        world = new BankWorld();
        account = world.account(Duration.ofHours(1));
        outbound = world.outbound(account);
        outbound.runOnce();
        inbound = new Inbound(account, world.database, world.opens, BankWorld.KEYS, Inbound.LARGEST, Duration.ZERO, meters);
        person = new CommandOfAPerson(world);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private Path lays(String name, String text) throws IOException {
        return Files.writeString(world.bank.files().resolve("outgoing").resolve(name), text);
    }

    private void isSetAside(String name) {
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            inbound.runOnce();
            assertThat(world.text("SELECT quarantined IS NOT NULL FROM bank_file_in WHERE file_name = '%s'".formatted(name)))
                    .isEqualTo("t");
        });
    }

    private String id() {
        return world.text("SELECT file_id FROM bank_file_in");
    }

    private double alerts() {
        inbound.runOnce();
        return meters.get("chargeonce.bank.files.quarantined").tag("bank", "bank").gauge().value();
    }

    /** Some banks write each day's statement under the same name, and some go on writing after a pause. */
    @Test
    void what_the_bank_writes_under_the_name_while_a_file_is_read_stays_there_until_it_is_read() throws Exception {
        Path file = lays("statement.xml", NO_BANK_SAYS_THIS);
        inbound.runOnce();
        world.execute("""
                CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$;
                CREATE TRIGGER slowly BEFORE INSERT ON bank_file_in FOR EACH ROW EXECUTE FUNCTION slowly()""");
        try (var threads = Executors.newSingleThreadExecutor()) {
            var looks = threads.submit(() -> await().atMost(Duration.ofSeconds(20)).until(() -> inbound.runOnce() > 0));
            await().atMost(Duration.ofSeconds(20)).until(() -> world.text(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'").equals("1"));
            lays("statement.xml", NO_BANK_SAYS_THIS + " of the next day");
            looks.get();
        }
        assertThat(file).exists();
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            inbound.runOnce();
            assertThat(world.text("SELECT count(*) FROM bank_file_in")).isEqualTo("2");
        });
        assertThat(file).doesNotExist();
    }

    @Test
    void a_file_that_a_person_has_closed_is_off_the_list_and_its_alert_ends() throws IOException {
        lays("strange.xml", NO_BANK_SAYS_THIS);
        isSetAside("strange.xml");
        assertThat(alerts()).isEqualTo(1);
        assertThat(person.run("unmatched")).startsWith("1: file " + id() + " ").contains("strange.xml");
        world.execute("SET session_replication_role = replica; UPDATE bank_file_in SET quarantined = E'a bank\\x1b[2J'");
        assertThat(person.run("unmatched")).as("a bank's words move no cursor").contains("a bank\\x1b[2J").doesNotContain("\u001b");
        assertThat(person.run("close", "file", id(), "--reason", " ")).startsWith("2: ");
        assertThat(person.run("close", "file", id(), "--reason", "the bank sent it by mistake")).isEqualTo("0: Closed file " + id() + ".");
        assertThat(person.run("unmatched")).isEqualTo("0: Nothing waits for a person.");
        assertThat(alerts()).isZero();
        assertThat(person.run("close", "file", id(), "--reason", "again")).startsWith("1: ");
        assertThat(person.run("close", "file", "99", "--reason", "none")).startsWith("1: ");
        assertThat(
                world.text("SELECT actor || ' ' || resource_id || ' ' || reason FROM audit_record WHERE action = 'dlq.bank_file_closed'"))
                .isEqualTo("chargeonce_dlq_operator " + id() + " the bank sent it by mistake");
    }

    @Test
    void a_released_file_is_read_again_from_the_bytes_that_are_here_and_what_it_says_follows() throws IOException {
        world.bank.tell(BankBehaviour.LATE);
        world.collected(world.mandate("m1"), 1_299, 3);
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
        });
        world.execute("UPDATE bank_batch SET resends = 1");
        Path file = lays("refused.xml", """
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>S1</MsgId></GrpHdr>
                 <OrgnlGrpInfAndSts><OrgnlMsgId>%s</OrgnlMsgId><GrpSts>RJCT</GrpSts>
                  <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>"""
                .formatted(world.text("SELECT message_id FROM bank_batch")));
        isSetAside("refused.xml");
        assertThat(file).doesNotExist();
        assertThat(person.run("release", "file", id(), "--reason", "try")).startsWith("0: Released file " + id());
        assertThat(person.run("unmatched")).contains("released, and not read again yet");
        inbound.runOnce();
        assertThat(person.run("unmatched")).startsWith("1: ").contains("sent twice").doesNotContain("released");
        assertThat(world.text("SELECT count(*) FROM bank_line")).isEqualTo("0");

        world.execute("UPDATE bank_batch SET resends = 0");
        assertThat(person.run("release", "file", id(), "--reason", "the bank has it once")).startsWith("0: ");
        assertThat(alerts()).isZero();
        assertThat(person.run("unmatched")).isEqualTo("0: Nothing waits for a person.");
        assertThat(world.text("SELECT message || ' ' || message_id FROM bank_file_in WHERE quarantined IS NULL")).isEqualTo("pain.002 S1");
        assertThat(world.text("SELECT count(*) FROM bank_line WHERE kind = 'file_rejected' AND file_id = " + id())).isEqualTo("3");
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("rejected");
        inbound.runOnce();
        assertThat(world.text("SELECT count(*) FROM bank_line")).isEqualTo("3");
        assertThat(person.run("release", "file", id(), "--reason", "once more")).startsWith("1: ");
    }

    @Test
    void a_file_of_which_not_all_is_here_stays_at_the_bank_and_is_not_read_again() throws IOException {
        inbound = new Inbound(account, world.database, world.opens, BankWorld.KEYS, 100, Duration.ZERO, meters);
        Path file = lays("long.xml", NO_BANK_SAYS_THIS.repeat(5));
        isSetAside("long.xml");
        inbound.runOnce();
        inbound = new Inbound(account, world.database, world.opens, BankWorld.KEYS, 100, Duration.ZERO, new SimpleMeterRegistry());
        inbound.runOnce();
        inbound.runOnce();
        inbound.runOnce();
        assertThat(file).exists();
        assertThat(world.text("SELECT count(*) FROM bank_file_in")).isEqualTo("1");
        assertThat(person.run("release", "file", id(), "--reason", "try")).startsWith("1: ").contains("not all of its bytes");
        assertThat(person.run("close", "file", id(), "--reason", "the bank has split it")).startsWith("0: ");
    }

    /** A pass that has taken a file is followed by the next one at once. */
    @Test
    void a_file_that_is_still_written_is_not_taken_however_soon_the_next_look_comes() throws IOException {
        var patient = new Inbound(account, world.database, world.opens, BankWorld.KEYS, Inbound.LARGEST, Duration.ofHours(1), meters);
        Path file = lays("half.xml", NO_BANK_SAYS_THIS);
        for (int i = 0; i < 3; i++) {
            assertThat(patient.runOnce()).isZero();
        }
        assertThat(file).exists();
        assertThat(world.text("SELECT count(*) FROM bank_file_in")).isEqualTo("0");
    }

    @Test
    void only_a_file_that_a_person_has_released_is_read_again() throws IOException {
        lays("strange.xml", NO_BANK_SAYS_THIS);
        isSetAside("strange.xml");
        assertThat(world.text("SELECT was_read_again(" + id() + ", 'pain.002', 'S1', NULL)")).isEqualTo("f");
        assertThatThrownBy(() -> world.execute("UPDATE bank_file_in SET quarantined = NULL, message = 'pain.002'"))
                .hasMessageContaining("only after a person has released it");
    }
}
