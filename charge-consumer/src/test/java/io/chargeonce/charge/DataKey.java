// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.runtime.Secret;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A data key in two halves: charge has the one that seals, people on call the one that opens. */
record DataKey(Vault seals, Vault opens) {

    static DataKey fresh() {
        try {
            Path folder = Files.createTempDirectory("data-key-");
            Path file = folder.resolve("key");
            Path half = folder.resolve("key" + DataKeys.PUBLIC);
            DataKeys.add(file);
            var key = new DataKey(Vault.of(new Secret(Files.readString(half))), Vault.of(new Secret(Files.readString(file))));
            Files.delete(file);
            Files.delete(half);
            Files.delete(folder);
            return key;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
