// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.load.LoadCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** One demo, its books, the records that its services published, and the examples of consumers that read them. */
class DemoTest {

    private static final StringWriter STORY = new StringWriter();
    private static Demo demo;
    private static PublishedRecords published;
    private static CheckVerdict verdict;

    @BeforeAll
    static void run() {
        demo = new Demo(DemoPlan.of(60, 1), new PrintWriter(STORY), false);
        published = new PublishedRecords(demo.pipeline.settings);
        published.sendToIntake("acme", "refused-1", "{\"amount\": -1, \"colour\": \"red\"}");
        verdict = demo.run();
    }

    @AfterAll
    static void stop() {
        demo.close();
    }

    @Test
    void the_books_of_a_demo_balance() {
        assertThat(verdict.balanced()).as(verdict.json() + "\n" + STORY).isTrue();
        assertThat(verdict.json()).contains("\"accepted\":63", "\"lost\":0", "\"double_charged\":0");
        assertThat(STORY.toString()).containsPattern("http://127.0.0.1:\\d+\\nand sign in with operator:test_operator");
        assertThat(STORY.toString()).containsPattern("To: jane@example.com\\R +Subject: Your (receipt|refund) from acme\\R")
                .containsPattern("Amount (paid|refunded): ")
                .containsPattern("(\\d+) came, each with the right signature, under \\1 ids")
                .containsPattern("stripe booked (\\d+) movements of money, and \\1 attempts agree with them")
                .containsPattern("adyen  booked (\\d+) movements of money, and \\1 attempts agree with them")
                .containsPattern("bank   booked 3 movements of money, and 2 attempts agree with them")
                .containsPattern("webhook-id: msg_\\w+\\R +\\{\\R +\"type\" : \"(payment|refund|return)\\.")
                // In one file, unless the bank's next window came between them.
                .containsPattern("to the bank +pain\\.008-CO-\\d+\\.xml( and [12] more)?, 3 debits of 166\\.99 EUR, due ")
                .containsPattern("from the bank +[123] pain\\.002, [23] camt\\.054\\R")
                .containsPattern("42\\.00 EUR +mandate_jane-doe +succeeded +booked\\R")
                .containsPattern("25\\.99 EUR +mandate_no-funds +declined +rejected AM04\\R")
                .containsPattern("99\\.00 EUR +mandate_returned +succeeded +booked, returned MD06\\R");
        assertThat(STORY.toString().lines()).hasSizeGreaterThan(30)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void the_bank_takes_at_most_six_lines_of_a_demo() {
        List<String> lines = STORY.toString().lines().dropWhile(line -> !line.contains("to the bank  ")).takeWhile(line -> !line.isBlank())
                .toList();
        assertThat(lines).hasSizeBetween(5, 6);
    }

    @Test
    void each_command_that_a_demo_shows_is_one() {
        List<List<String>> commands = new Script(Path.of("demo"), STORY.toString()).commands();
        assertThat(commands).hasSizeGreaterThan(9).allSatisfy(words -> ScriptsTest.parse(words));
    }

    @Test
    void a_demo_says_in_words_what_a_newcomer_cannot_know() {
        assertThat(STORY.toString()).contains("A PSP is a ", "were parked: they wait ", "A tier is a ", "a payment is dead: it waits for ",
                "is poison.");
    }

    /** Each in a shell of its own, as a person pastes them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"dlq summary | holds nothing of this kind", "webhook add --merchant acme --url http://localhost:1/hooks | whsec_",
                "bank mandate list | mandate_jane-doe", "bank reconcile --psp stripe --fetch | stripe", "load check | balance"})
    void the_lines_that_up_prints_lead_every_command_to_it(String command, String says) throws IOException, InterruptedException {
        var line = new ArrayList<>(List.of("bash", "-c", String.join("\n", Exports.of(demo.pipeline)) + "\nexec \"$0\" \"$@\"",
                ProcessHandle.current().info().command().orElseThrow(), "-cp", System.getProperty("java.class.path"),
                "io.chargeonce.app.Main"));
        line.addAll(List.of(command.split(" ")));
        var shell = new ProcessBuilder(line);
        shell.environment().keySet().removeIf(name -> name.startsWith("CHARGEONCE_"));
        var process = shell.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains(says);
    }

    @Test
    void load_check_finds_the_banks_ledger_by_what_the_services_tell() {
        var settings = demo.pipeline.settings;
        var said = new StringWriter();
        int code = new CommandLine(new LoadCommand()).setOut(new PrintWriter(said)).execute("check", "--database", settings.databaseUrl(),
                "--kafka", settings.kafka(), "--service", "http://127.0.0.1:" + demo.pipeline.adminPort);
        assertThat(said.toString()).contains(demo.pipeline.foundations.bank().ledger().toString());
        assertThat(code).as(said.toString()).isZero();
    }

    @Test
    void each_record_that_the_services_publish_is_what_the_documents_say() throws IOException {
        var contract = new EventContract();
        published.awaitRefusal();
        var seen = new TreeSet<String>();
        for (ConsumerRecord<byte[], byte[]> record : published.all()) {
            // The demo's own poison is no record of the services.
            if (!new String(record.key(), StandardCharsets.UTF_8).equals("garbage")) {
                Map<String, String> headers = PublishedRecords.headers(record);
                assertThat(contract.problems(record.topic(), record.key(), record.value(), headers)).as(record.toString()).isEmpty();
                seen.add(record.topic().replaceFirst("payments\\.", "") + " " + headers.getOrDefault("ce_type", "left"));
            }
        }
        assertThat(seen).contains("requests io.chargeonce.payment.request", "retry-1 io.chargeonce.payment.request",
                "retry-3 io.chargeonce.payment.request", "dlq io.chargeonce.payment.dead-letter", "dlq left",
                "outcomes io.chargeonce.payment.succeeded", "outcomes io.chargeonce.payment.declined",
                "outcomes io.chargeonce.refund.succeeded", "outcomes io.chargeonce.return.succeeded",
                "intake-refused io.chargeonce.payment.refused");
    }

    @Test
    void two_events_have_different_ids_and_the_copies_of_one_event_say_the_same() {
        var contents = new HashMap<String, String>();
        for (ConsumerRecord<byte[], byte[]> record : published.all()) {
            Optional.ofNullable(PublishedRecords.headers(record).get("ce_id")).ifPresent(id -> {
                String content = PublishedRecords.headers(record).get("ce_type") + new String(record.value(), StandardCharsets.UTF_8);
                assertThat(contents.computeIfAbsent(id, first -> content)).as(id).isEqualTo(content);
            });
        }
        assertThat(contents).hasSizeGreaterThan(120);
    }

    @Test
    void the_java_example_counts_each_outcome_once_through_repeats_lost_offsets_and_a_second_process() throws Exception {
        published.repeatOutcomes();
        try (var example = new ConsumerExample.Java(demo.pipeline.settings)) {
            countsEachOnce(example);
        }
    }

    @Test
    void the_typescript_example_counts_each_outcome_once_through_repeats_a_kill_and_a_second_process() throws Exception {
        assumeTrue(ConsumerExample.TypeScript.canRun(), "examples/typescript is not built, or there is no node: see its README");
        published.repeatOutcomes();
        try (var example = new ConsumerExample.TypeScript(demo.pipeline.settings)) {
            countsEachOnce(example);
        }
    }

    @Test
    void the_python_example_counts_each_outcome_once_through_repeats_a_kill_and_a_second_process(@TempDir Path folder) throws Exception {
        Optional<String> python = ConsumerExample.Python.with("confluent_kafka");
        assumeTrue(python.isPresent(), "no python3 has confluent-kafka; its handling of recorded events is tested all the same");
        published.repeatOutcomes();
        try (var example = new ConsumerExample.Python(demo.pipeline.settings, python.get(), folder.resolve("book"))) {
            countsEachOnce(example);
        }
    }

    @Test
    void the_python_example_handles_recorded_events() throws Exception {
        Optional<String> python = ConsumerExample.Python.with("sqlite3");
        assumeTrue(python.isPresent(), "there is no python3");
        Path folder = Repository.root().resolve("examples/python");
        var tests = new ProcessBuilder(python.get(), "-B", "-m", "unittest").directory(folder.toFile()).redirectErrorStream(true).start();
        String said = new String(tests.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tests.waitFor()).as(said).isZero();
        assertThat(said).contains("Ran 5 tests");
    }

    private static void countsEachOnce(ConsumerExample example) throws Exception {
        Map<String, Long> expected = published.revenue(demo.pipeline.settings);
        assertThat(expected).hasSizeGreaterThan(3);
        example.start("first");
        example.awaitAnEvent();
        example.kill();
        // Another group has no offsets: it reads everything from the beginning.
        example.start("second");
        example.start("second");
        published.awaitRead(example.group("second"));
        assertThat(example.revenue()).isEqualTo(expected);
        assertThat(example.events()).isEqualTo(published.countedOutcomes());
    }
}
