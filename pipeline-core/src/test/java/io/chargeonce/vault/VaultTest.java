// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Settings;
import io.chargeonce.runtime.SettingsProblems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultTest {

    private static final byte[] CARD = "4111 1111 1111 1111".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    @Test
    void what_is_sealed_opens_at_its_place_and_nowhere_else() throws IOException {
        Vault vault = vault(key());
        byte[] sealed = vault.seal("here", CARD);
        assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("4111");
        assertThat(vault.seal("here", CARD)).as("each sealing differs").isNotEqualTo(sealed);
        assertThat(vault.open("here", sealed)).isInstanceOfSatisfying(Opened.Readable.class,
                opened -> assertThat(opened.bytes()).isEqualTo(CARD));
        assertThat(why(vault.open("there", sealed))).contains("no key in the file of CHARGEONCE_DATA_KEY_FILE opens it");
    }

    @Test
    void the_public_half_seals_and_reads_nothing() throws IOException {
        Path key = key();
        Vault half = vault(publicHalf(key));
        byte[] sealed = half.seal("here", CARD);
        assertThat(why(half.open("here", sealed))).contains("only public keys");
        assertThat(vault(key).open("here", sealed)).isInstanceOf(Opened.Readable.class);
        assertThat(Files.readString(publicHalf(key))).doesNotContain("HpkePrivateKey");
    }

    @Test
    void a_new_key_seals_and_the_old_ones_still_open() throws IOException {
        Path key = key();
        byte[] before = vault(key).seal("here", CARD);
        String old = Files.readString(key);
        assertThat(DataKeys.add(key)).isEqualTo(2);
        byte[] after = vault(publicHalf(key)).seal("here", CARD);
        assertThat(vault(key).open("here", before)).isInstanceOf(Opened.Readable.class);
        assertThat(vault(key).open("here", after)).isInstanceOf(Opened.Readable.class);
        assertThat(why(new TextVault(old).open(after))).contains("sealed with another key");
    }

    /** By the text of a file. */
    private record TextVault(String text) {
        Opened open(byte[] sealed) {
            return Vault.of(new Secret(text)).open("here", sealed);
        }
    }

    @Test
    void a_key_file_that_changes_is_used_at_once_and_one_that_holds_no_keys_is_not() throws IOException {
        Path key = key();
        var text = new AtomicReference<>(Files.readString(key));
        Vault vault = Vault.of(text::get);
        byte[] before = vault.seal("here", CARD);
        DataKeys.add(key);
        byte[] after = vault(key).seal("here", CARD);
        assertThat(vault.open("here", after)).isInstanceOf(Opened.Closed.class);
        text.set(Files.readString(key));
        assertThat(vault.open("here", after)).isInstanceOf(Opened.Readable.class);
        text.set("half a fi");
        assertThat(vault.open("here", after)).as("the last keys stay in use").isInstanceOf(Opened.Readable.class);
        assertThat(vault.open("here", before)).isInstanceOf(Opened.Readable.class);
    }

    @Test
    void old_keys_that_are_dropped_open_nothing_any_more() throws IOException {
        Path key = key();
        byte[] before = vault(key).seal("here", CARD);
        DataKeys.add(key);
        byte[] after = vault(key).seal("here", CARD);
        assertThat(DataKeys.dropOld(key)).isEqualTo(1);
        assertThat(vault(key).open("here", before)).isInstanceOf(Opened.Closed.class);
        assertThat(vault(key).open("here", after)).isInstanceOf(Opened.Readable.class);
        assertThat(vault(key).open("here", vault(publicHalf(key)).seal("here", CARD))).isInstanceOf(Opened.Readable.class);
        assertThatThrownBy(() -> DataKeys.dropOld(folder.resolve("nowhere"))).hasMessageContaining("there is no file");
    }

    @Test
    void a_key_file_is_for_its_owner_alone_and_nothing_else_is_overwritten() throws IOException {
        Path key = key();
        for (Path file : List.of(key, publicHalf(key))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        }
        Path other = Files.writeString(folder.resolve("other"), "a shopping list");
        assertThatThrownBy(() -> DataKeys.add(other)).hasMessageContaining("holds no private data keys");
        assertThat(other).hasContent("a shopping list");
        assertThatThrownBy(() -> vault(other)).hasMessageStartingWith("CHARGEONCE_DATA_KEY_FILE: the file holds no data keys");
    }

    @Test
    void without_a_key_nothing_is_sealed_and_what_is_sealed_stays_closed() throws IOException {
        byte[] sealed = vault(key()).seal("here", CARD);
        assertThatThrownBy(() -> Vault.WITHOUT_KEY.seal("here", CARD)).isInstanceOf(Vault.NoKey.class)
                .hasMessageContaining("set CHARGEONCE_DATA_KEY_FILE to its file");
        assertThat(why(Vault.WITHOUT_KEY.open("here", sealed))).contains("there is no data key here");
        assertThat(why(Vault.WITHOUT_KEY.open("here", new byte[0]))).contains("never sealed");
    }

    /**
     * Otherwise a role that may write the table could put a record of its own into an operator's hands, or into a merge, without any key.
     */
    @Test
    void unsealed_bytes_are_accepted_in_trials_only_with_and_without_a_key() throws IOException {
        byte[] clear = Vault.IN_THE_CLEAR.seal("here", CARD);
        assertThat(Vault.IN_THE_CLEAR.open("here", clear)).isInstanceOf(Opened.Readable.class);
        Path key = key();
        assertThat(why(vault(key).open("here", clear))).contains("these bytes are not sealed", "CHARGEONCE_INSECURE=yes");
        assertThat(why(Vault.WITHOUT_KEY.open("here", clear))).contains("these bytes are not sealed");
        var values = Map.of("CHARGEONCE_DATA_KEY_FILE", key.toString(), "CHARGEONCE_INSECURE", "yes");
        Settings upgraded = Settings.load(values, List.of(Vault.FILE_OF_A_COMMAND, Settings.INSECURE), List.of());
        assertThat(Vault.ofCommand(upgraded).open("here", clear)).as("from an earlier trial").isInstanceOf(Opened.Readable.class);
        assertThat(Vault.ofCommand(upgraded).seal("here", CARD)).as("new bytes are sealed").startsWith(1);
        assertThat(why(Vault.ofService(Settings.load(values, List.of(Vault.FILE), List.of())).open("here", clear)))
                .contains("these bytes are not sealed");
    }

    @Test
    void a_service_without_a_key_is_refused_unless_that_is_allowed() throws IOException {
        assertThatThrownBy(() -> Settings.load(Map.of(), List.of(Vault.FILE), List.of())).isInstanceOf(SettingsProblems.class)
                .hasMessageContaining("CHARGEONCE_DATA_KEY_FILE: is missing").hasMessageContaining("chargeonce data-key FILE");
        Settings trial = Settings.load(Map.of("CHARGEONCE_INSECURE", "yes"), List.of(Vault.FILE), List.of());
        assertThat(Vault.ofService(trial)).isSameAs(Vault.IN_THE_CLEAR);
        Path key = key();
        Settings real = Settings.load(Map.of("CHARGEONCE_DATA_KEY_FILE", key.toString()), List.of(Vault.FILE), List.of());
        assertThat(Vault.ofService(real).open("here", vault(key).seal("here", CARD))).isInstanceOf(Opened.Readable.class);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> Settings.load(Map.of("CHARGEONCE_DATA_KEY_FILE", key.toString()), List.of(Vault.FILE), List.of()))
                .hasMessageContaining("has the mode rw-r--r--");
        Settings command = Settings.load(Map.of(), List.of(Vault.FILE_OF_A_COMMAND, Settings.INSECURE), List.of());
        assertThat(Vault.ofCommand(command)).isSameAs(Vault.WITHOUT_KEY);
    }

    private Path key() throws IOException {
        Path key = folder.resolve("data-key-" + System.nanoTime());
        assertThat(DataKeys.add(key)).isEqualTo(1);
        return key;
    }

    private static Path publicHalf(Path key) {
        return key.resolveSibling(key.getFileName() + DataKeys.PUBLIC);
    }

    private static Vault vault(Path file) throws IOException {
        return Vault.of(new Secret(Files.readString(file)));
    }

    private static String why(Opened opened) {
        return ((Opened.Closed) opened).why();
    }
}
