// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Build;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.OptionalAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProofCommandTest {

    @TempDir
    Path root;
    private Path source;
    private String commit;

    @BeforeEach
    void makeCheckout() throws IOException, InterruptedException {
        source = Files.writeString(Files.createDirectories(root.resolve("app/src/main/java")).resolve("A.java"), "class A {}");
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        Files.writeString(Files.createDirectories(root.resolve("docs")).resolve("page.md"), "# Page");
        git("init", "-q");
        commit = commitAll();
    }

    private String commitAll() throws IOException, InterruptedException {
        git("add", "-A");
        git("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "a commit");
        return git("rev-parse", "--short=7", "HEAD");
    }

    private String git(String... words) throws IOException, InterruptedException {
        var git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(words)).toList()).directory(root.toFile())
                .redirectErrorStream(true).start();
        String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(git.waitFor()).as(said).isZero();
        return said;
    }

    private OptionalAssert<String> refusal() throws IOException {
        return assertThat(ProofCommand.refusal(new Build("1", commit), root, root));
    }

    private void assertRefused(String... words) throws IOException {
        refusal().hasValueSatisfying(why -> assertThat(why).contains(words));
    }

    @Test
    void a_build_of_what_is_committed_proves_it_whatever_pages_and_results_say() throws IOException {
        refusal().isEmpty();
        Files.writeString(root.resolve("docs/page.md"), "# Page, with a table");
        Files.writeString(Files.createDirectories(root.resolve("proof/results")).resolve(commit + ".json"), "[]");
        refusal().isEmpty();
    }

    @Test
    void sources_that_are_not_committed_are_refused_and_named() throws IOException {
        Path untracked = Files.writeString(source.resolveSibling("B.java"), "class B {}");
        assertRefused("sources that commit " + commit + " has not", "'touch pom.xml'", "?? app/src/main/java/B.java");
        Files.delete(untracked);
        refusal().isEmpty();
        for (Path changed : List.of(source, root.resolve("pom.xml"))) {
            String before = Files.readString(changed);
            Files.writeString(changed, "changed");
            assertRefused("M " + root.relativize(changed));
            Files.writeString(changed, before);
        }
        Files.delete(source);
        assertRefused("D app/src/main/java/A.java");
    }

    @Test
    void a_build_of_another_commit_than_head_is_refused() throws IOException, InterruptedException {
        Files.writeString(source, "class A { int more; }");
        commitAll();
        assertRefused("this build is of commit " + commit + ", but HEAD is");
    }

    @Test
    void a_build_that_stands_elsewhere_is_refused() throws IOException {
        Path elsewhere = Files.createDirectories(root.resolve("elsewhere"));
        assertThat(ProofCommand.refusal(new Build("1", commit), root, elsewhere)).contains(
                "this is the build of %s: run it there".formatted(elsewhere));
    }

    @Test
    void a_build_without_a_commit_or_in_a_linked_worktree_is_refused() throws IOException, InterruptedException {
        assertThat(ProofCommand.refusal(new Build("1", "unknown"), root, root)).hasValueSatisfying(
                why -> assertThat(why).contains("build it in a Git checkout"));
        Path linked = root.resolve("linked");
        git("worktree", "add", "-q", "--detach", linked.toString());
        assertThat(ProofCommand.refusal(new Build("1", commit), linked, linked)).hasValueSatisfying(
                why -> assertThat(why).contains("clone the repository"));
    }

    @Test
    void a_second_proof_in_a_checkout_waits_for_none() throws IOException {
        try (var first = ProofCommand.alone(root).orElseThrow()) {
            assertThat(ProofCommand.alone(root)).isEmpty();
        }
        ProofCommand.alone(root).orElseThrow().close();
    }
}
