// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list in docs/architecture.md that leads a reader from file to file along one payment. */
class WayOfAPaymentTest {

    private static final String METHOD = "`[a-z]+(?:/[a-z]+)*/[A-Z]\\w*\\.[a-z]\\w*`";
    private static final Pattern STEP = Pattern.compile("^\\d+\\. (" + METHOD + ")");
    private static final Pattern CALLS = Pattern.compile("\\bcalls ((?:" + METHOD + "(?:, | and )?)+)");
    private static final Pattern REACHES = Pattern.compile("\\breaches (" + METHOD + ") through `(\\w+)`");
    private static final Pattern LEAVES = Pattern.compile("\\bleaves the rest to (" + METHOD + ")");

    /** {@code charge/Claims.claim} is the method claim of io.chargeonce.charge.Claims. */
    private record Place(String file, String type, String method) {

        static Place of(String quoted) {
            String text = quoted.replace("`", "");
            String file = text.substring(0, text.indexOf('.'));
            return new Place(file, file.substring(file.lastIndexOf('/') + 1), text.substring(text.indexOf('.') + 1));
        }

        static List<Place> allIn(String text) {
            return Pattern.compile(METHOD).matcher(text).results().map(found -> of(found.group())).toList();
        }

        String source() {
            try (Stream<Path> modules = Files.list(Repository.root())) {
                Optional<Path> source = modules.map(module -> module.resolve("src/main/java/io/chargeonce/" + file + ".java"))
                        .filter(Files::exists).findFirst();
                assertThat(source).as("the file of " + this).isPresent();
                return Files.readString(source.get());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean declares() {
            return Pattern.compile("(?m)^ {4,8}[\\w@<].*\\b" + method + "\\(").matcher(source()).find();
        }

        boolean mentions(String other) {
            return Pattern.compile("\\b" + other + "\\b").matcher(source()).find();
        }

        boolean calls(Place next) {
            return (file.equals(next.file) || mentions(next.type))
                    && Pattern.compile("(?:\\.|::)" + next.method + "\\b").matcher(source()).find();
        }
    }

    private static List<String> steps() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/architecture.md"));
        String list = page.substring(page.indexOf("## The code along one payment"));
        return Arrays.stream(list.substring(0, list.indexOf("\n## ")).replaceAll("\\n +", " ").split("\n"))
                .filter(line -> STEP.matcher(line).find()).toList();
    }

    private static Place at(String step) {
        return STEP.matcher(step).results().map(found -> Place.of(found.group(1))).findFirst().orElseThrow();
    }

    @Test
    void each_step_is_a_method_of_a_class_that_is_there() throws IOException {
        assertThat(steps()).hasSizeGreaterThan(20).allSatisfy(step -> {
            assertThat(at(step).declares()).as(step).isTrue();
            assertThat(Place.allIn(step)).allSatisfy(named -> assertThat(named.declares()).as(named.toString()).isTrue());
        });
    }

    @Test
    void each_step_calls_what_the_list_says_that_it_calls() throws IOException {
        assertThat(steps()).allSatisfy(step -> CALLS.matcher(step).results()
                .forEach(called -> assertThat(Place.allIn(called.group(1))).as(step).isNotEmpty()
                        .allSatisfy(next -> assertThat(at(step).calls(next)).as("%s calls %s", at(step), next).isTrue())));
    }

    @Test
    void both_ends_of_an_indirect_call_know_what_lies_between() throws IOException {
        assertThat(steps()).allSatisfy(step -> REACHES.matcher(step).results().forEach(found -> {
            assertThat(at(step).mentions(found.group(2))).as(step).isTrue();
            assertThat(Place.of(found.group(1)).mentions(found.group(2))).as(step).isTrue();
        }));
    }

    @Test
    void each_step_has_been_named_by_another_and_each_that_is_named_is_a_step() throws IOException {
        Set<Place> named = new HashSet<>(Set.of(Place.of("ingest/PaymentsApi.routing"), Place.of("charge/Resolver.runOnce")));
        Set<String> files = new HashSet<>();
        for (String step : steps()) {
            files.add(at(step).file);
            Stream.of(CALLS, REACHES, LEAVES).flatMap(verb -> verb.matcher(step).results())
                    .forEach(found -> named.addAll(Place.allIn(found.group(1))));
        }
        assertThat(named).containsAll(steps().stream().map(WayOfAPaymentTest::at).toList());
        assertThat(files).containsAll(named.stream().map(Place::file).toList());
    }
}
