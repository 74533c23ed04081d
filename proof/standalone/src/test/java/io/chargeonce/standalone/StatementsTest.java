// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The statements of the services fit the schema, and so do those of each released version, for during an upgrade they meet it too.
 *
 * <p>A release keeps its statements: run this test with {@code CHARGEONCE_KEEP_STATEMENTS=1.0} and commit the file that it writes.
 */
class StatementsTest {

    private static final List<String> SERVICES =
            List.of("pipeline-core", "ingest-service", "charge-consumer", "retry-consumers", "dlq-tool", "console",
                    "notifications", "reconciler", "bank-files");
    private static final Pattern TEXT = Pattern.compile("\"\"\"\\n(.*?)\"\"\"|= \"([^\"\\n]*)\";", Pattern.DOTALL);
    private static final Pattern STATEMENT = Pattern.compile("(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH) .*", Pattern.DOTALL);
    private static final Pattern FILLED_LATER = Pattern.compile("%(\\d\\$)?s");
    private static final Pattern QUOTED_OR_PARAMETER = Pattern.compile("'[^']*'|--[^\\n]*|\\?");
    private static Connection connection;

    @BeforeAll
    static void migrate() throws SQLException {
        String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    @Test
    void every_statement_of_the_services_fits_the_schema() throws Exception {
        SortedMap<String, String> statements = statements();
        assertThat(statements).as("found in the sources").hasSizeGreaterThan(80);
        assertThat(misfits(statements)).isEmpty();
        String version = System.getenv("CHARGEONCE_KEEP_STATEMENTS");
        if (version != null) {
            Files.createDirectories(ReleasedSchemaTest.RELEASED);
            Files.writeString(ReleasedSchemaTest.RELEASED.resolve(version + ".sql"), String.join(";\n\n", statements.values()) + ";\n");
        }
    }

    @Test
    void the_statements_of_each_released_version_fit_the_schema_of_this_one() throws Exception {
        for (Path file : ReleasedSchemaTest.released(".sql")) {
            var statements = new TreeMap<String, String>();
            for (String statement : Files.readString(file).split(";\n\\s*")) {
                statements.put(file.getFileName() + " " + statements.size(), statement);
            }
            assertThat(misfits(statements)).isEmpty();
        }
    }

    @Test
    void a_statement_that_names_what_is_not_there_is_found() throws SQLException {
        assertThat(misfits(Map.of("of a later version", "SELECT no_such_column FROM outbox WHERE shard = $1"))).hasSize(1);
        assertThat(misfits(Map.of("of this one", "SELECT topic FROM outbox WHERE shard = $1"))).isEmpty();
    }

    /** Whole statements, with $1 for the first parameter, by where they stand. What is put together at run time is left to other tests. */
    private static SortedMap<String, String> statements() throws IOException {
        var statements = new TreeMap<String, String>();
        for (String service : SERVICES) {
            try (Stream<Path> files = Files.walk(Repository.root().resolve(service).resolve("src/main/java"))) {
                for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String source = Files.readString(file);
                    TEXT.matcher(source).results().filter(text -> isWhole(source, text)).forEach(text -> statements
                            .put(file.getFileName() + ":" + source.substring(0, text.start()).lines().count(), numbered(words(text))));
                }
            }
        }
        return statements;
    }

    private static String words(MatchResult text) {
        return (text.group(1) == null ? text.group(2) : text.group(1)).translateEscapes().strip();
    }

    private static boolean isWhole(String source, MatchResult text) {
        String after = source.substring(text.end()).strip();
        String before = source.substring(0, text.start() + (text.group(1) == null ? 1 : 0)).strip();
        String name = before.replaceAll("(?s).*?(\\w*)( =)?$", "$1");
        return STATEMENT.matcher(words(text)).matches() && !after.startsWith("+") && !before.endsWith("+")
                && !after.startsWith(".formatted") && !FILLED_LATER.matcher(words(text)).find()
                && (name.isEmpty() || !Pattern.compile("\\+ %1$s\\b|\\b%1$s \\+".formatted(name)).matcher(source).find());
    }

    private static String numbered(String statement) {
        int[] parameters = {0};
        return QUOTED_OR_PARAMETER.matcher(statement)
                .replaceAll(found -> found.group().equals("?") ? "\\$" + ++parameters[0] : Matcher.quoteReplacement(found.group()));
    }

    private static List<String> misfits(Map<String, String> statements) throws SQLException {
        var misfits = new ArrayList<String>();
        for (var each : statements.entrySet()) {
            try (var statement = connection.createStatement()) {
                statement.execute("PREPARE tried AS " + each.getValue());
                statement.execute("DEALLOCATE tried");
            } catch (SQLException e) {
                misfits.add(each.getKey() + ": " + e.getMessage());
            }
        }
        return misfits;
    }
}
