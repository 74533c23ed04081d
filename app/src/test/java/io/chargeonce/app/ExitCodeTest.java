// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExitCodeTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"ingest", "charge"})
    void a_service_that_drained_after_sigterm_ends_with_0(String service) throws Exception {
        Process process = ServiceProcess.start(service, ServiceProcess.freePort(), directory);
        try (var output = process.inputReader()) {
            assertThat(output.lines().anyMatch(line -> line.contains("The service has started"))).isTrue();
            // By its handle, because the process itself would also close the stream that is read here.
            process.toHandle().destroy();
            assertThat(output.lines()).noneMatch(line -> line.contains("did not close"));
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
