// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests are numbers; a batch writes each once and answers ten times the number. Postgres refuses 1000 and more. */
class CoalescerTest {

    private static final int TOO_LARGE = 1000;
    private static String url;
    private static Database database;

    private final List<List<Integer>> batches = new CopyOnWriteArrayList<>();
    private final AtomicInteger commits = new AtomicInteger();
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeAll
    static void open() throws SQLException {
        url = TestStack.newDatabase();
        try (var connection = DriverManager.getConnection(url)) {
            connection.createStatement().execute(
                    "CREATE SCHEMA chargeonce CREATE TABLE written (id int PRIMARY KEY CHECK (id < %d))".formatted(TOO_LARGE));
        }
        database = Database.open(url, "postgres", "", 12);
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @BeforeEach
    void empty() {
        database.withConnection(connection -> connection.createStatement().execute("TRUNCATE written"));
    }

    @AfterEach
    void letGo() {
        gate.countDown();
        callers.close();
    }

    private static final String WRITE = "INSERT INTO written SELECT * FROM unnest(?::int[]) ON CONFLICT DO NOTHING";

    private List<Integer> write(Connection connection, List<Integer> asks) throws SQLException {
        batches.add(asks);
        Sql.update(connection, WRITE, Columns.of(asks.stream().sorted().toList()).with("int4", ask -> ask));
        return asks.stream().map(ask -> ask * 10).toList();
    }

    /** The first batch, of one request, waits until the gate opens, so that later requests gather. */
    private List<Integer> writeBehindTheGate(Connection connection, List<Integer> asks) throws SQLException {
        if (batches.isEmpty()) {
            batches.add(asks);
            awaitGate();
            return asks;
        }
        return write(connection, asks);
    }

    /** Like a running statement, it does not end when its thread is interrupted. */
    private void awaitGate() {
        while (gate.getCount() > 0) {
            try {
                gate.await();
            } catch (InterruptedException e) {
                // Only the gate ends the wait.
            }
        }
    }

    private Coalescer<Integer, Integer> coalescer(int writers, Coalescer.Batch<Integer, Integer> batch) {
        return new Coalescer<>("test", database, writers, commits::incrementAndGet, batch);
    }

    private CompletableFuture<Integer> ask(Coalescer<Integer, Integer> coalescer, int number) {
        return CompletableFuture.supplyAsync(() -> {
            waiting.add(Thread.currentThread());
            return coalescer.ask(number);
        }, callers);
    }

    /** The first request is being answered, and this many callers, including it, wait for an answer. */
    private void awaitBehindTheGate(int callersInAll) {
        Awaitility.await().until(() -> !batches.isEmpty() && waiting.size() == callersInAll
                && waiting.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }

    private List<CompletableFuture<Integer>> askAll(Coalescer<Integer, Integer> coalescer, IntStream numbers) {
        return numbers.mapToObj(number -> ask(coalescer, number)).toList();
    }

    private static List<Integer> written() {
        return database.withConnection(connection -> {
            var numbers = new ArrayList<Integer>();
            try (var rows = connection.createStatement().executeQuery("SELECT id FROM written ORDER BY id")) {
                while (rows.next()) {
                    numbers.add(rows.getInt(1));
                }
            }
            return numbers;
        });
    }

    @Test
    void each_caller_gets_its_own_answer_and_only_when_it_is_durable() {
        try (var coalescer = coalescer(2, this::write)) {
            var answers = askAll(coalescer, IntStream.range(0, 500));

            assertThat(answers).extracting(CompletableFuture::join)
                    .containsExactlyElementsOf(IntStream.range(0, 500).mapToObj(i -> i * 10).toList());
            assertThat(written()).hasSize(500);
            assertThat(commits).hasValue(batches.size());
        }
    }

    @Test
    void requests_during_a_batch_share_the_next_commit() {
        try (var coalescer = coalescer(1, this::writeBehindTheGate)) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 50));
            awaitBehindTheGate(51);
            gate.countDown();

            answers.forEach(CompletableFuture::join);
            assertThat(batches).extracting(List::size).containsExactly(1, 50);
        }
    }

    @Test
    void a_row_that_postgres_refuses_fails_alone() {
        try (var coalescer = coalescer(1, this::writeBehindTheGate)) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var bad = ask(coalescer, TOO_LARGE);
            var good = askAll(coalescer, IntStream.rangeClosed(1, 40));
            awaitBehindTheGate(42);
            gate.countDown();

            assertThat(good).allSatisfy(answer -> assertThat(answer.join()).isPositive());
            assertThatThrownBy(bad::join).hasCauseInstanceOf(DatabaseRefused.class)
                    .satisfies(e -> assertThat(((DatabaseRefused) e.getCause()).isRowBusy()).isFalse());
            assertThat(written()).hasSize(40).doesNotContain(TOO_LARGE);
        }
    }

    @Test
    void a_bug_that_one_ask_runs_into_fails_that_one_alone() {
        try (var coalescer = coalescer(1, (connection, asks) -> {
            if (asks.contains(13)) {
                throw new IllegalArgumentException("Bug! 13 was asked");
            }
            return writeBehindTheGate(connection, asks);
        })) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 40));
            awaitBehindTheGate(41);
            gate.countDown();

            assertThatThrownBy(answers.get(12)::join).hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(answers).filteredOn(answer -> answer != answers.get(12))
                    .allSatisfy(answer -> assertThat(answer.join()).isPositive());
            assertThat(written()).hasSize(39).doesNotContain(13);
        }
    }

    private static <E extends Error> List<Integer> refuse13(List<Integer> asks, Supplier<E> error, List<Integer> answers) {
        if (asks.contains(13)) {
            throw error.get();
        }
        return answers;
    }

    static List<Error> errorsOfOneRow() {
        return List.of(new StackOverflowError("planted"), new AssertionError("planted"), new NoClassDefFoundError("planted"));
    }

    @ParameterizedTest
    @MethodSource("errorsOfOneRow")
    void an_error_that_one_ask_runs_into_fails_that_one_alone(Error error) {
        try (var coalescer = coalescer(1, (connection, asks) -> refuse13(asks, () -> error, writeBehindTheGate(connection, asks)))) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 40));
            awaitBehindTheGate(41);
            gate.countDown();

            assertThatThrownBy(answers.get(12)::join).rootCause().isSameAs(error);
            assertThat(answers).filteredOn(answer -> answer != answers.get(12))
                    .allSatisfy(answer -> assertThat(answer.join()).isPositive());
            assertThat(written()).hasSize(39).doesNotContain(13);
        }
    }

    @Test
    void an_error_about_one_ask_is_a_bug_and_one_about_the_process_stays_an_error() {
        try (var coalescer =
                coalescer(1, (connection, asks) -> refuse13(asks, () -> new StackOverflowError("planted"), write(connection, asks)))) {
            assertThatThrownBy(() -> coalescer.ask(13)).isInstanceOf(BrokenWork.class).hasCauseInstanceOf(StackOverflowError.class);
        }
        try (var coalescer =
                coalescer(1, (connection, asks) -> refuse13(asks, () -> new NoClassDefFoundError("planted"), write(connection, asks)))) {
            assertThatThrownBy(() -> coalescer.ask(13)).isInstanceOf(NoClassDefFoundError.class);
        }
    }

    @Test
    void without_memory_a_batch_fails_as_it_is_and_ends_no_writer() {
        var tries = new AtomicInteger();
        try (var coalescer = coalescer(1, (connection, asks) -> {
            if (asks.contains(13)) {
                tries.incrementAndGet();
                throw new OutOfMemoryError("planted");
            }
            return writeBehindTheGate(connection, asks);
        })) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 40));
            awaitBehindTheGate(41);
            gate.countDown();

            assertThat(answers).allSatisfy(answer -> assertThatThrownBy(answer::join).hasCauseInstanceOf(OutOfMemoryError.class));
            assertThat(tries).hasValue(1);
            assertThat(coalescer.ask(1)).isEqualTo(10);
        }
    }

    @Test
    void rows_that_are_locked_elsewhere_wait_alone_while_the_others_are_answered() throws SQLException {
        List<Integer> locked = List.of(7, 21, 22, 30, 31, 32, 33, 38);
        try (var elsewhere = DriverManager.getConnection(url); var coalescer = coalescer(1, this::writeBehindTheGate)) {
            elsewhere.setAutoCommit(false);
            for (int id : locked) {
                elsewhere.createStatement().execute("INSERT INTO chargeonce.written VALUES (" + id + ")");
            }
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 40));
            awaitBehindTheGate(41);
            gate.countDown();

            // The rows are locked until the end of this block, so answers do not depend on them.
            for (int id = 1; id <= 40; id++) {
                var answer = answers.get(id - 1);
                if (locked.contains(id)) {
                    assertThatThrownBy(answer::join).hasCauseInstanceOf(DatabaseRefused.class)
                            .satisfies(e -> assertThat(((DatabaseRefused) e.getCause()).isRowBusy()).isTrue());
                } else {
                    assertThat(answer.join()).isEqualTo(id * 10);
                }
            }
            elsewhere.rollback();
            assertThat(coalescer.ask(7)).isEqualTo(70);
        }
    }

    @Test
    void a_row_that_is_freed_in_time_is_answered_after_a_lone_wait() throws SQLException {
        try (var elsewhere = DriverManager.getConnection(url); var coalescer = coalescer(1, this::write)) {
            elsewhere.setAutoCommit(false);
            elsewhere.createStatement().execute("INSERT INTO chargeonce.written VALUES (7)");
            var answer = ask(coalescer, 7);
            Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> batches.size() == 2);
            elsewhere.rollback();

            assertThat(answer.join()).isEqualTo(70);
        }
    }

    @Test
    void when_the_connection_breaks_every_caller_of_the_batch_learns_that_nothing_is_certain() {
        try (var coalescer = coalescer(1, (connection, asks) -> {
            List<Integer> answers = writeBehindTheGate(connection, asks);
            if (asks.size() > 1) {
                terminateOurBackends();
            }
            return answers;
        })) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.rangeClosed(1, 30));
            awaitBehindTheGate(31);
            gate.countDown();

            assertThat(answers).allSatisfy(answer -> assertThatThrownBy(answer::join).hasCauseInstanceOf(DatabaseUnavailable.class));
            assertThat(written()).isEmpty();
            assertThat(coalescer.ask(1)).isEqualTo(10);
        }
    }

    private static void terminateOurBackends() {
        try (var connection = DriverManager.getConnection(url)) {
            connection.createStatement().execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void more_callers_than_the_queue_holds_are_refused_at_once() {
        try (var coalescer = coalescer(1, this::writeBehindTheGate)) {
            ask(coalescer, 0);
            awaitBehindTheGate(1);
            var answers = askAll(coalescer, IntStream.range(0, 20_100).map(i -> i % TOO_LARGE));
            Awaitility.await().until(() -> answers.stream().filter(CompletableFuture::isCompletedExceptionally).count() == 100);
            gate.countDown();

            assertThat(answers).filteredOn(answer -> !answer.isCompletedExceptionally()).hasSize(20_000)
                    .allSatisfy(answer -> assertThat(answer.join()).isNotNegative());
            assertThat(answers).filteredOn(CompletableFuture::isCompletedExceptionally)
                    .allSatisfy(answer -> assertThatThrownBy(answer::join).cause().isInstanceOfSatisfying(Coalescer.Overloaded.class,
                            refused -> assertThat(refused.isDatabaseAway()).isFalse()));
        }
    }

    @Test
    void while_the_first_in_the_queue_waits_too_long_no_other_may_join_it() {
        try (var coalescer = new Coalescer<Integer, Integer>("test", database, 1, Duration.ofMillis(20), commits::incrementAndGet,
                this::writeBehindTheGate)) {
            var underWay = ask(coalescer, 0);
            awaitBehindTheGate(1);
            var queued = ask(coalescer, 1);
            awaitBehindTheGate(2);
            Awaitility.await().untilAsserted(() -> assertThatThrownBy(() -> coalescer.ask(2)).isInstanceOfSatisfying(
                    Coalescer.Overloaded.class, refused -> assertThat(refused.isDatabaseAway()).as("no batch has had an answer").isTrue()));
            gate.countDown();

            assertThat(underWay.join()).isZero();
            assertThat(queued.join()).isEqualTo(10);
            assertThat(coalescer.ask(3)).isEqualTo(30);
        }
    }

    @Test
    void callers_that_wait_at_the_close_or_come_later_are_refused() throws InterruptedException {
        var coalescer = coalescer(1, this::writeBehindTheGate);
        var underWay = ask(coalescer, 0);
        awaitBehindTheGate(1);
        var queued = askAll(coalescer, IntStream.rangeClosed(1, 5));
        awaitBehindTheGate(6);
        Thread closing = Thread.ofPlatform().start(coalescer::close);
        Awaitility.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        gate.countDown();
        closing.join();

        assertThat(underWay.join()).isZero();
        assertThat(queued).allSatisfy(answer -> assertThatThrownBy(answer::join).hasCauseInstanceOf(Coalescer.Overloaded.class));
        assertThatThrownBy(() -> coalescer.ask(1)).isInstanceOf(Coalescer.Overloaded.class);
    }

    @Test
    void a_batch_that_answers_too_few_is_a_bug_that_every_caller_hears_of() {
        try (var coalescer = coalescer(1, (connection, asks) -> List.of())) {
            assertThatThrownBy(() -> coalescer.ask(1)).isInstanceOf(IllegalStateException.class).hasMessageStartingWith("Bug!");
        }
    }

    private CompletableFuture<Integer> ask(Coalescer<Integer, Integer> coalescer, String share, int number) {
        return CompletableFuture.supplyAsync(() -> {
            waiting.add(Thread.currentThread());
            return coalescer.ask(share, number);
        }, callers);
    }

    private void awaitAllWait(int asks) {
        Awaitility.await().until(() -> waiting.stream().filter(thread -> thread.getState() == Thread.State.WAITING).count() >= asks);
    }

    @Test
    void the_flood_of_one_merchant_neither_delays_nor_fills_the_batch_of_another() {
        try (var coalescer = coalescer(1, this::writeBehindTheGate)) {
            ask(coalescer, "flood", 0);
            Awaitility.await().until(() -> batches.size() == 1);
            for (int i = 1; i <= 600; i++) {
                ask(coalescer, "flood", i);
            }
            awaitAllWait(601);
            var quiet = ask(coalescer, "quiet", 999);
            awaitAllWait(602);
            gate.countDown();
            quiet.join();

            assertThat(batches.get(1)).contains(999).hasSizeLessThanOrEqualTo(1 + 64 + 1);
        }
    }

    @Test
    void a_lone_merchant_has_whole_batches() {
        try (var coalescer = coalescer(1, this::writeBehindTheGate)) {
            ask(coalescer, "flood", 0);
            Awaitility.await().until(() -> batches.size() == 1);
            var asked = IntStream.rangeClosed(1, 600).mapToObj(i -> ask(coalescer, "flood", i)).toList();
            awaitAllWait(601);
            gate.countDown();
            asked.forEach(CompletableFuture::join);

            assertThat(batches.get(1)).hasSize(500);
        }
    }

    @Test
    void only_the_merchant_whose_own_asks_wait_too_long_is_refused() {
        try (var coalescer =
                new Coalescer<Integer, Integer>("test", database, 1, Duration.ofMillis(1), () -> {}, this::writeBehindTheGate)) {
            ask(coalescer, "flood", 0);
            Awaitility.await().until(() -> batches.size() == 1);
            ask(coalescer, "flood", 1);
            Awaitility.await().until(() -> ask(coalescer, "flood", 2).handle((answer, refused) -> refused != null)
                    .completeOnTimeout(false, 1, java.util.concurrent.TimeUnit.SECONDS).join());

            var quiet = ask(coalescer, "quiet", 3);
            gate.countDown();
            assertThat(quiet.join()).isEqualTo(30);
        }
    }
}
