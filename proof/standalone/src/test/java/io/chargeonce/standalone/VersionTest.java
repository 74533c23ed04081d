// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The version stands in many files, and is one. {@code docs/releasing.md} changes it. */
class VersionTest {

    private static final Path ROOT = Repository.root();
    private static final String WORKING = "-SNAPSHOT";
    private static final Pattern VERSION = Pattern.compile("\n  <version>(.+)</version>");

    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("\n  <artifactId>(.+)</artifactId>");
    /** One dependency of our own, with all that is said of it. */
    private static final Pattern OF_OURS =
            Pattern.compile("<dependency>\\s*<groupId>io.chargeonce</groupId><artifactId>([^<]+)</artifactId>((?s).*?)</dependency>");

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static String version() throws IOException {
        return first(VERSION, read("pom.xml"));
    }

    private static String first(Pattern pattern, String text) {
        var matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s", pattern).isTrue();
        return matcher.group(1);
    }

    @Test
    void every_module_and_every_example_has_the_version() throws IOException {
        String modules = read("pom.xml");
        assertThat(MODULE.matcher(modules).results().map(module -> module.group(1) + "/pom.xml"))
                .isNotEmpty().allSatisfy(pom -> assertThat(read(pom)).as(pom).contains("<version>" + version() + "</version>"));
        for (String example : List.of("psp-plugin", "testkit-shop")) {
            assertThat(read("examples/" + example + "/pom.xml")).contains("<chargeonce.version>" + version() + "</chargeonce.version>");
        }
        assertThat(read("examples/spring-shop/pom.xml")).contains("starter</artifactId><version>" + version() + "</version>");
        assertThat(read("bom/pom.xml")).contains(first(Pattern.compile("(<project.home>.*</project.home>)"), modules));
    }

    /** Otherwise a build that uses one of them cannot find another. */
    @Test
    void what_is_published_needs_nothing_of_ours_that_is_not() throws IOException {
        var published = new TreeMap<String, String>();
        for (String module : MODULE.matcher(read("pom.xml")).results().map(each -> each.group(1)).toList()) {
            String pom = read(module + "/pom.xml");
            if (pom.contains("<maven.deploy.skip>false</maven.deploy.skip>")) {
                published.put(first(ARTIFACT, pom), pom);
            }
        }
        String page = read("docs/releasing.md");
        assertThat(published).containsKeys("ingest-client", "chargeonce-testkit").allSatisfy((artifact, pom) -> {
            assertThat(pom).as(artifact).contains("<name>Chargeonce", "<description>");
            assertThat(OF_OURS.matcher(pom).results().filter(needed -> !needed.group(2).contains("<scope>test</scope>"))
                    .map(needed -> needed.group(1))).as(artifact).isSubsetOf(published.keySet());
            assertThat(page).contains("`" + artifact + "`");
        });
        assertThat(OF_OURS.matcher(read("bom/pom.xml")).results().map(named -> named.group(1))).contains("chargeonce-testkit")
                .isSubsetOf(published.keySet());
    }

    @Test
    void the_clients_the_chart_and_the_images_of_the_overlays_have_the_version_that_is_released_next() throws IOException {
        String next = version().replace(WORKING, "");
        assertThat(first(Pattern.compile("\nversion = \"(.*)\""), read("clients/python/pyproject.toml"))).isEqualTo(next);
        assertThat(first(Pattern.compile("\n  \"version\": \"(.*)\""), read("clients/typescript/package.json"))).isEqualTo(next);
        assertThat(read("deploy/helm/chargeonce/Chart.yaml")).contains("\nversion: " + next + "\n", "\nappVersion: " + next + "\n");
        for (String overlay : List.of("overlays/production", "toolbox")) {
            assertThat(
                    Pattern.compile("newName: (.*), newTag: (.*) }").matcher(read("deploy/kubernetes/" + overlay + "/kustomization.yaml"))
                            .results().map(image -> image.group(1) + ":" + image.group(2)))
                    .as(overlay).isNotEmpty()
                    .isSubsetOf("chargeonce:" + next, "chargeonce-console:" + next);
        }
    }

    /** The changelog of a version is complete when its statements are kept; a working version has neither. */
    @Test
    void a_released_version_lacks_nothing_that_a_release_needs_and_a_working_version_does() throws IOException {
        assertThat(read("CHANGELOG.md")).contains("\n## " + version() + "\n");
        assertThat(missing(version().replace(WORKING, "")).isEmpty()).as("%s", missing(version()))
                .isEqualTo(!version().endsWith(WORKING));
    }

    private static List<String> missing(String version) throws IOException {
        var missing = new ArrayList<String>();
        if (!read("CHANGELOG.md").contains("\n## " + version + "\n")) {
            missing.add("CHANGELOG.md has no " + version);
        }
        if (read("pom.xml").contains("https://chargeonce.example")) {
            missing.add("project.home in pom.xml is not an address");
        }
        Stream.of(".sql", ".sha256").map(kind -> version + kind).filter(file -> !Files.exists(ReleasedSchemaTest.RELEASED.resolve(file)))
                .forEach(file -> missing.add(file + " is not kept"));
        for (Path page : Stream.concat(Stream.of("README.md", "SECURITY.md", "clients/README.md").map(ROOT::resolve),
                Repository.documents("docs").stream()).toList()) {
            if (Files.readString(page).contains("Nothing is released yet")) {
                missing.add(ROOT.relativize(page) + " says that nothing is released yet");
            }
        }
        return missing;
    }
}
