// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BugTableTest {

    @TempDir
    Path directory;

    @Test
    void a_bug_that_is_tried_again_at_its_level_gets_a_new_row_and_the_others_stay() throws IOException {
        Path file = directory.resolve("bugs.md");
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "campaigns", "one-capture", "1", true, "abc1234"));
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "simulation", "one-capture", "7", true, "abc1234"));
        BugTable.in(file).put(new BugTable.Row("two", "is worse", "simulation", "", "more than 5", false, "abc1234"));
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "campaigns", "money-sum", "2", true, "abc1234"));
        assertThat(Files.readAllLines(file)).filteredOn(line -> line.startsWith("| `")).containsExactly(
                "| `one` | is wrong | campaigns | money-sum | 2 | balanced | abc1234 |",
                "| `one` | is wrong | simulation | one-capture | 7 | balanced | abc1234 |",
                "| `two` | is worse | simulation | **not caught** | more than 5 | **not balanced** | abc1234 |");
    }

    @Test
    void what_a_person_wrote_below_the_table_stays() throws IOException {
        Path file = directory.resolve("bugs.md");
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "campaigns", "one-capture", "1", true, "abc1234"));
        Files.writeString(file, Files.readString(file) + "\n## Not here\n\n- a bug\n");
        BugTable.in(file).put(new BugTable.Row("two", "is worse", "campaigns", "one-capture", "1", true, "abc1234"));
        assertThat(Files.readString(file)).endsWith("| abc1234 |\n\n## Not here\n\n- a bug\n").contains("| `one` |", "| `two` |");
    }
}
