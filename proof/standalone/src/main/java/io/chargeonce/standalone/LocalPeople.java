// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Database;
import io.chargeonce.database.People;
import io.chargeonce.database.Roles;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three people who may sign in to the console of a pipeline on one machine, with the tokens that it prints. This Postgres trusts the
 * machine; only these logins need their password, for the console believes no other.
 */
enum LocalPeople {
    READER("chargeonce_dlq_reader", "a reader"),
    OPERATOR("chargeonce_dlq_operator", "an operator"),
    /** May also look at personal data. */
    APPROVER("chargeonce_dlq_operator", "a second operator, to approve");

    private static final String RULES = "SHOW hba_file";
    private static final String RELOAD = "SELECT pg_reload_conf()";

    private final String role;
    private final String words;

    LocalPeople(String role, String words) {
        this.role = role;
        this.words = words;
    }

    String login() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** As the documentation names it. */
    String token() {
        return login() + ":test_" + login();
    }

    static String tokens() {
        return Stream.of(values()).map(person -> "%-22s  %s".formatted(person.token(), person.words))
                .collect(Collectors.joining("\n" + " ".repeat(20)));
    }

    /** Idempotent. */
    static void create(PipelineSettings settings, PostgresServer postgres) {
        Roles.apply(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), Optional.empty());
        for (LocalPeople person : values()) {
            People.add(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), person.login(), person.role,
                    Optional.of(("test_" + person.login()).toCharArray()));
        }
        People.add(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), APPROVER.login(),
                "chargeonce_dlq_unmask", Optional.empty());
        requirePasswords(postgres);
    }

    private static void requirePasswords(PostgresServer postgres) {
        try (var database = Database.open(postgres.jdbcUrl(), "postgres", "", 1)) {
            String file = database.withConnection(connection -> Sql.one(connection, RULES, row -> row.getString(1)));
            Path rules = Path.of(file);
            String logins = Stream.of(values()).map(LocalPeople::login).collect(Collectors.joining(","));
            String rule = "host all %s 127.0.0.1/32 scram-sha-256".formatted(logins);
            String all = Files.readString(rules);
            if (!all.startsWith(rule)) {
                Files.writeString(rules, rule + "\n" + all, StandardOpenOption.TRUNCATE_EXISTING);
            }
            String reloaded = database.withConnection(connection -> Sql.one(connection, RELOAD, row -> row.getString(1)));
            if (!reloaded.equals("t")) {
                throw new IllegalStateException("Postgres did not read " + rules + " again");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
