// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.game;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The files of secrets that the processes of a universe read again while they run. For one thread.
 *
 * @param sealing one file of public data keys after the other, each with one key more
 * @param opening the private half of each of these keys alone
 */
public record SecretFiles(Path directory, List<String> sealing, List<String> opening) {

    /** As each universe begins. */
    public void reset() {
        put(pspKey("stripe"), pspKeyText("stripe", 1));
        put(pspKey("adyen"), pspKeyText("adyen", 1));
        put(dataKey(), sealing.getFirst());
    }

    public Path pspKey(String psp) {
        return directory.resolve(psp + "-key");
    }

    /** The first, second, third … that was ever made. */
    public static String pspKeyText(String psp, int number) {
        return psp + "_key_" + number;
    }

    public Path dataKey() {
        return directory.resolve("data-key.public");
    }

    /** Replaces a file as a whole. */
    public void put(Path file, String text) {
        try {
            if (Files.notExists(file) || !Files.readString(file).equals(text)) {
                Path whole = Files.writeString(directory.resolve("new"), text);
                Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
