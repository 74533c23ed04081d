// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.cap.ConnectionCap;
import io.chargeonce.sandbox.TestStack;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** However many people are signed in, they have no more connections together than the console may. */
class ConnectionCapTest {

    private static final int MOST = 3;
    private static String url;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch enough = new CountDownLatch(1);
    private final PersonsDatabase databases = PersonsDatabase.at(url, MOST);
    private final List<Database> people = new ArrayList<>();

    @BeforeAll
    static void migrate() {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
    }

    @AfterEach
    void close() {
        enough.countDown();
        threads.close();
        people.forEach(Database::close);
    }

    private Database person() {
        Database database = databases.open("postgres", "", 2);
        people.add(database);
        return database;
    }

    private static int connections(Database database) {
        return database.withConnection(connection -> {
            try (var statement = connection.createStatement();
                 var row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    private Future<?> holdOne(Database database, CountDownLatch held) {
        return threads.submit(() -> database.withConnection(connection -> {
            held.countDown();
            await().forever().until(() -> enough.getCount() == 0);
            return null;
        }));
    }

    @Test
    void one_connection_too_many_is_refused_with_its_reason_and_the_next_is_free_when_one_ends() throws Exception {
        Database one = person();
        Database other = person();
        var held = new CountDownLatch(MOST);
        holdOne(one, held);
        holdOne(one, held);
        holdOne(other, held);
        held.await();
        Database third = person();
        assertThatThrownBy(() -> connections(third)).isInstanceOf(DatabaseUnavailable.class).satisfies(
                refused -> assertThat(ConnectionCap.isReached(refused)).isTrue());
        assertThatThrownBy(() -> databases.signIn("postgres", "", connection -> 1)).isInstanceOf(DatabaseUnavailable.class)
                .hasMessageContaining("all 3 connections of this process to Postgres are in use");
        enough.countDown();
        await().ignoreExceptions().untilAsserted(() -> assertThat(connections(third)).isBetween(1, MOST));
    }

    @Test
    void what_one_person_leaves_idle_another_gets_at_once() {
        for (int i = 0; i < 4 * MOST; i++) {
            assertThat(connections(person())).isLessThanOrEqualTo(MOST);
        }
    }

    @Test
    void a_login_that_postgres_refuses_takes_no_place() {
        for (int i = 0; i < 2 * MOST; i++) {
            databases.signIn("no_such_login", "", connection -> 1);
        }
        assertThat(connections(person())).isLessThanOrEqualTo(MOST);
    }
}
