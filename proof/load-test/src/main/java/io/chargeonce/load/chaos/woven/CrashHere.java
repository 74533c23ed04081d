// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Called from woven places: dies there if the fault injector has armed it, by a file beside the process's log that holds the place's
 * name. The file turns into the proof that the place was hit. Any thread.
 */
public final class CrashHere {

    private static final Path ARMED = Path.of(System.getProperty("chargeonce.crash", "none"));

    private CrashHere() {}

    public static void ifArmed(String point) {
        if (!Files.exists(ARMED)) {
            return;
        }
        try {
            if (Files.readString(ARMED).equals(point)) {
                Files.move(ARMED, ARMED.resolveSibling(ARMED.getFileName() + ".hit-" + System.nanoTime()));
                Runtime.getRuntime().halt(137);
            }
        } catch (IOException anotherThreadWasFaster) {
            // One death is enough.
        }
    }
}
