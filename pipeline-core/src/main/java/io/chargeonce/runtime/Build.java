// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version and commit of the running build, as the build recorded it. */
public record Build(String version, String commit) {

    public static final Build CURRENT = read();

    private static Build read() {
        var properties = new Properties();
        try (InputStream file = Build.class.getResourceAsStream("build.properties")) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Bug! The jar lost its build.properties", e);
        }
        // Outside a Git checkout the build cannot fill it in.
        String commit = properties.getProperty("commit");
        return new Build(properties.getProperty("version"), commit.startsWith("$") ? "unknown" : commit);
    }

    /** A gauge that is always 1; the information is in its tags. */
    void register(MeterRegistry registry) {
        Gauge.builder("chargeonce.build.info", () -> 1).tag("version", version).tag("commit", commit)
                .description("Which version runs here").register(registry);
    }

    @Override
    public String toString() {
        return "Chargeonce %s (%s)".formatted(version, commit);
    }
}
