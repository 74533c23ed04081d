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
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "campaigns", "one-capture", "1", true));
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "simulation", "one-capture", "7", true));
        BugTable.in(file).put(new BugTable.Row("two", "is worse", "simulation", "", "more than 5", false));
        BugTable.in(file).put(new BugTable.Row("one", "is wrong", "campaigns", "money-sum", "2", true));
        assertThat(Files.readAllLines(file)).filteredOn(line -> line.startsWith("| `")).containsExactly(
                "| `one` | is wrong | campaigns | money-sum | 2 | balanced |",
                "| `one` | is wrong | simulation | one-capture | 7 | balanced |",
                "| `two` | is worse | simulation | **not caught** | more than 5 | **not balanced** |");
    }
}
