// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlantTest {

    @ParameterizedTest
    @EnumSource(Plant.class)
    void each_bug_is_found_by_its_tag(Plant plant) {
        assertThat(Plant.fromTag(plant.tag())).isEqualTo(plant);
    }

    /** Advice that a method of that name has no place for would break the trial and not the service. */
    @ParameterizedTest
    @EnumSource(Plant.class)
    void each_bug_can_be_written_into_its_place(Plant plant) {
        var files = ClassFileLocator.ForClassLoader.of(getClass().getClassLoader());
        for (String type : plant.types()) {
            var builder = new ByteBuddy().redefine(TypePool.Default.of(files).describe(type).resolve(), files);
            assertThatCode(() -> plant.into(builder, type).make()).as(type).doesNotThrowAnyException();
        }
    }

    /** Each alone: the database is as it was before the next. */
    @Test
    void each_bug_in_the_schema_fits_the_schema() throws SQLException {
        String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (Plant plant : Plant.values()) {
                for (String sql : plant.sql().stream().toList()) {
                    assertThatCode(() -> statement.execute(sql)).as(plant.tag()).doesNotThrowAnyException();
                    connection.rollback();
                }
            }
        }
    }

    @Test
    void the_table_has_one_row_for_each_bug_and_level_where_it_shows_and_there_it_was_caught() throws IOException {
        List<String[]> rows = Files.readAllLines(Path.of("../..", "docs", "planted-bugs.md")).stream()
                .filter(line -> line.startsWith("| `")).map(line -> line.substring(2, line.length() - 2).split(" \\| ")).toList();
        assertThat(rows.stream().map(row -> row[0] + " " + row[1] + " " + row[2]))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Plant.values()).flatMap(PlantTest::levels).toList());
        assertThat(rows).allSatisfy(row -> {
            Plant plant = Plant.fromTag(row[0].replace("`", ""));
            assertThat(row[3].split(", ")).as(row[0]).containsAnyElementsOf(plant.expected().stream().map(Invariant::id).toList());
            assertThat(row[5]).as(row[0]).isEqualTo("balanced");
        });
    }

    private static Stream<String> levels(Plant plant) {
        String bug = "`" + plant.tag() + "` " + plant.sentence() + " ";
        return Stream.of(plant.shows().campaigns() ? bug + "campaigns" : "", plant.shows().simulation() ? bug + "simulation" : "")
                .filter(level -> !level.isEmpty());
    }
}
