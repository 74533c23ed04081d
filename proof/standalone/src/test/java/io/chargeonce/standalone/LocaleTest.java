// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A machine whose language has digits, or capital letters, of its own. */
@Tag("proof")
class LocaleTest {

    private static final Pattern OTHER_DIGIT = Pattern.compile("[\\p{Nd}&&[^0-9]]");

    @TempDir
    Path folder;

    /** A demo accepts, charges, retries, buries and merges, and its checker reads Postgres, Kafka and the PSPs. */
    @ParameterizedTest
    @CsvSource({"ar, EG", "tr, TR"})
    void a_demo_balances_in_each_language(String language, String country) throws Exception {
        var demo = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xmx1g", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Duser.language=" + language, "-Duser.country=" + country,
                "-Dchargeonce.log=" + folder.resolve("demo.log"), "-cp",
                System.getProperty("java.class.path"), "io.chargeonce.app.Main", "demo", "--payments", "20")
                .redirectErrorStream(true).start();
        String said = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(demo.waitFor()).as(said).isZero();
        assertThat(said).contains("The books balance.").doesNotContainPattern(OTHER_DIGIT);
    }
}
