// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules for later migrations, which run while payments go on and services of the previous version still run. No statement may lock a
 * table for longer than a change of the catalog takes, and names that old services use stay.
 */
final class MigrationRules {

    private static final Pattern RUNS_WITH = Pattern.compile("\\A-- Runs with \\d+\\.\\d+ and later\\.\\n");
    /** Quoted text, functions' bodies and comments say nothing about locks. */
    private static final Pattern NO_WORDS = Pattern.compile("--[^\\n]*|\\$\\$.*?\\$\\$|'(?:[^']|'')*'", Pattern.DOTALL);
    private static final Pattern TABLE_MADE_HERE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\w+)");
    private static final Pattern INDEX = Pattern.compile("CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(\\w+) ON (\\w+).*");
    private static final Pattern ALTER = Pattern.compile("ALTER TABLE (?:ONLY |IF EXISTS )?(\\w+) .*");
    private static final Pattern ROWS =
            Pattern.compile("(UPDATE|DELETE FROM|TRUNCATE(?: TABLE)?|LOCK(?: TABLE)?|CLUSTER|VACUUM FULL|REINDEX) .*");
    private static final Pattern DROP = Pattern.compile("DROP (TABLE|VIEW|COLUMN|FUNCTION) .*|ALTER TABLE .* DROP COLUMN .*");
    /** The call is for a new database: it does nothing where the log has room. */
    private static final Pattern OF_FUNCTIONS = Pattern.compile("CREATE OR REPLACE FUNCTION .*|SELECT MAKE_AUDIT_ROOM\\(\\)");
    private static final Pattern CONTRACT = Pattern.compile("-- Nothing older than \\d+\\.\\d+ runs any more\\.\\n");

    private final String file;
    private final List<String> statements = new ArrayList<>();
    private final List<String> madeHere = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    private MigrationRules(String file) {
        this.file = file;
        for (String statement : NO_WORDS.matcher(file).replaceAll(" ").split(";")) {
            String words = statement.strip().replaceAll("\\s+", " ").toUpperCase(Locale.ROOT);
            if (!words.isEmpty()) {
                statements.add(words);
            }
        }
        for (String statement : statements) {
            Matcher table = TABLE_MADE_HERE.matcher(statement);
            if (table.lookingAt()) {
                madeHere.add(table.group(1));
            }
        }
    }

    /** Its violations, one line each; empty if it may be released. */
    static List<String> broken(String file) {
        var rules = new MigrationRules(file);
        if (!RUNS_WITH.matcher(file).lookingAt()) {
            rules.broken.add("its first line says which versions of the services run with it: -- Runs with 1.2 and later.");
        }
        rules.statements.forEach(statement -> rules.problem(statement).ifPresent(what -> rules.broken.add(what + ": " + statement)));
        return rules.broken;
    }

    /** The statements of a file of functions that could not run again, or not without a lock. */
    static List<String> notOfFunctions(String file) {
        return new MigrationRules(file).statements.stream().filter(statement -> !OF_FUNCTIONS.matcher(statement).matches()).toList();
    }

    private Optional<String> problem(String statement) {
        if (INDEX.matcher(statement).matches()) {
            return index(INDEX.matcher(statement));
        }
        if (ALTER.matcher(statement).matches() && !madeHere.contains(first(ALTER, statement))) {
            return alter(statement);
        }
        if (ROWS.matcher(statement).matches()) {
            return Optional.of("it holds rows or the table for as long as it takes; a service or a job changes rows in small batches");
        }
        return DROP.matcher(statement).matches() ? contract() : Optional.empty();
    }

    private Optional<String> index(Matcher index) {
        if (!index.matches() || madeHere.contains(index.group(3))) {
            return Optional.empty();
        }
        if (index.group(1) == null) {
            return Optional.of("no row can be written until the index is made; say CONCURRENTLY");
        }
        List<String> alone = List.of("SET LOCK_TIMEOUT = 0", "DROP INDEX CONCURRENTLY IF EXISTS " + index.group(2), index.group());
        return statements.equals(alone) ? Optional.empty()
                : Optional.of(
                        "it runs outside of a transaction, waits for old ones, and leaves half an index when it is interrupted; its "
                                + "file has "
                                + "SET lock_timeout = 0, DROP INDEX CONCURRENTLY IF EXISTS of that index, this, and nothing else");
    }

    private Optional<String> alter(String statement) {
        if (statement.contains(" VALIDATE CONSTRAINT ")) {
            return statements.stream().anyMatch(other -> other.contains(" NOT VALID"))
                    ? Optional.of("the lock of ADD CONSTRAINT is held while all rows are read; validate in a migration of its own")
                    : Optional.empty();
        }
        if (statement.matches(".* ADD (CONSTRAINT \\w+ )?(CHECK|FOREIGN KEY)\\b.*") && !statement.endsWith(" NOT VALID")) {
            return Optional.of("all rows are read under its lock; say NOT VALID, and validate in a later migration");
        }
        if (statement.matches(".* ADD (CONSTRAINT \\w+ )?(UNIQUE|PRIMARY KEY|EXCLUDE)\\b.*") && !statement.contains(" USING INDEX ")) {
            return Optional.of("its index is made under the lock; make it concurrently before, and say USING INDEX");
        }
        if (statement.matches(".* ADD (COLUMN )?.* (REFERENCES|UNIQUE|PRIMARY KEY|CHECK|GENERATED)\\b.*")
                && !statement.contains(" CONSTRAINT ")) {
            return Optional.of("a column that comes with a constraint or is computed is read or written in all rows under its lock");
        }
        if (statement.matches(".* ADD (COLUMN )?.* NOT NULL\\b.*") && !statement.contains(" DEFAULT ")) {
            return Optional.of("an old service does not fill it; give it a DEFAULT, or let it be null");
        }
        if (statement.matches(".* ALTER (COLUMN )?\\w+ (SET DATA )?TYPE .*|.* SET NOT NULL\\b.*|.* SET (UN)?LOGGED\\b.*")) {
            return Optional.of("all rows are read or written under its lock; add a column or a CHECK beside it");
        }
        if (statement.matches(".* RENAME .*")) {
            return Optional.of("old services name it; add the new one, and drop the old one later");
        }
        return DROP.matcher(statement).matches() ? contract() : Optional.empty();
    }

    private Optional<String> contract() {
        return CONTRACT.matcher(file).find() ? Optional.empty()
                : Optional.of("old services name it; say since when none runs: -- Nothing older than 1.3 runs any more.");
    }

    private static String first(Pattern pattern, String statement) {
        Matcher matcher = pattern.matcher(statement);
        return matcher.matches() ? matcher.group(1) : "";
    }
}
