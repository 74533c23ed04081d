// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {

    /** Tries to lock the file that it is given, from another process. */
    static final class OtherProcess {
        public static void main(String[] arguments) throws Exception {
            System.exit(DirectoryLock.tryTake(Path.of(arguments[0])).isPresent() ? 0 : 1);
        }
    }

    @Test
    void a_second_look_by_the_same_process_does_not_give_the_lock_away(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("a.lock");
        try (var lock = DirectoryLock.take("test", directory, file)) {
            assertThat(DirectoryLock.tryTake(file)).isEmpty();
            assertThat(otherProcessGetsIt(file)).isFalse();
        }
        assertThat(Files.exists(file)).isTrue();
        assertThat(otherProcessGetsIt(file)).isTrue();
    }

    private static boolean otherProcessGetsIt(Path file) throws Exception {
        return new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path"), OtherProcess.class.getName(), file.toString())).inheritIO().start().waitFor() == 0;
    }
}
