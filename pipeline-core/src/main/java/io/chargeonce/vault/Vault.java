// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.vault;

import com.google.crypto.tink.HybridDecrypt;
import com.google.crypto.tink.HybridEncrypt;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Seals bytes for their place, so that they open nowhere else. Envelope encryption by RFC 9180 (HPKE): each sealing has its own key, which
 * only the private half of the data key unwraps. A holder of the public half alone can seal, but cannot read what it sealed. The key file
 * is read again every few seconds, like other secrets. Any thread.
 */
public final class Vault {

    private static final String NAME = "CHARGEONCE_DATA_KEY_FILE";

    /** For services that seal. A start without it is refused. */
    public static final Setting<Optional<Secret>> FILE = Setting.secretFile(NAME,
            "File with the keys that seal poison records at rest; chargeonce data-key makes it. Services get the .public file, "
                    + "which only seals.")
            .optionalIfExposed(
                    "is missing, so poison records, which may hold card numbers, would be stored unencrypted; make a "
                            + "file with 'chargeonce data-key FILE', and set this to FILE.public");

    /** For commands that open sealed bytes. Without it they still do the rest of their work. */
    public static final Setting<Optional<Secret>> FILE_OF_A_COMMAND = Setting.secretFile(NAME,
            "File with the private keys that open what is sealed at rest.").optional();

    /** Seals nothing, and opens unsealed bytes: for trials only. */
    public static final Vault IN_THE_CLEAR = new Vault(NAME, Optional.empty(), true);
    /** Neither seals nor opens. */
    public static final Vault WITHOUT_KEY = new Vault(NAME, Optional.empty(), false);

    /** Sealing failed because there is no key. The message says what to do. */
    public static final class NoKey extends RuntimeException {

        private static final long serialVersionUID = 1;

        NoKey(String why) {
            super(why);
        }
    }

    /** The first byte says whether the rest is sealed. */
    private static final byte CLEAR = 0;
    private static final byte SEALED = 1;

    /** @param unseals empty if there is only a public half */
    private record Keys(String text, HybridEncrypt seals, Optional<HybridDecrypt> unseals) {}

    /** The setting, for messages. */
    private final String name;
    private final Optional<Supplier<String>> file;
    /** Whether bytes are stored unsealed when there is no key. Unsealed bytes are then accepted, even with a key. */
    private final boolean inTheClear;
    /** Empty until needed, where they may never be: loading Tink costs a command noticeable time. */
    private volatile Optional<Keys> latest = Optional.empty();

    private Vault(String name, Optional<Supplier<String>> file, boolean inTheClear) {
        this.name = name;
        this.file = file;
        this.inTheClear = inTheClear;
    }

    /**
     * @param file the current text of the file, such as a {@link Secret}
     * @throws IllegalArgumentException if the file holds no data keys; the message has the setting's name and not the content
     */
    public static Vault of(Supplier<String> file) {
        return of(NAME, file);
    }

    /** @param name the setting that names the file, for messages */
    private static Vault of(String name, Supplier<String> file) {
        var vault = new Vault(name, Optional.of(file), false);
        vault.latest = Optional.of(vault.parsed(file.get()));
        return vault;
    }

    /**
     * With a key of its own, which opens nothing that another key sealed.
     *
     * @param file a start without it was refused or allowed; without it, bytes are stored unsealed
     * @throws IllegalArgumentException if the file holds no data keys
     */
    public static Vault of(Setting<Optional<Secret>> file, Settings settings) {
        return settings.get(file).map(text -> of(file.name(), text)).orElse(IN_THE_CLEAR);
    }

    /**
     * For a service, after its start without a key was refused or allowed.
     *
     * @throws IllegalArgumentException if the file holds no data keys
     */
    public static Vault ofService(Settings settings) {
        return settings.get(FILE).map(Vault::of).orElse(IN_THE_CLEAR);
    }

    /** For a command. A file without keys is reported when a key is needed. */
    public static Vault ofCommand(Settings settings) {
        return ofCommand(FILE_OF_A_COMMAND, settings);
    }

    /** The same with a key of its own. */
    public static Vault ofCommand(Setting<Optional<Secret>> file, Settings settings) {
        boolean insecure = settings.get(Settings.INSECURE) == Settings.Insecure.YES;
        return settings.get(file).map(text -> new Vault(file.name(), Optional.of(text), insecure))
                .orElseGet(() -> insecure ? IN_THE_CLEAR : file.name().equals(NAME) ? WITHOUT_KEY
                        : new Vault(file.name(), Optional.empty(), false));
    }

    /**
     * @param place where the bytes will be stored; they open only for the same place
     * @throws NoKey if there is no key, and bytes may not be stored unsealed
     */
    public byte[] seal(String place, byte[] bytes) {
        if (file.isEmpty()) {
            if (!inTheClear) {
                throw new NoKey("there is no data key to seal with: set %s to its file; chargeonce data-key makes one".formatted(name));
            }
            return marked(CLEAR, bytes);
        }
        try {
            return marked(SEALED, keys(file.get()).seals.encrypt(bytes, context(place)));
        } catch (IllegalArgumentException noKeys) {
            throw new NoKey(noKeys.getMessage());
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("Bug! Bytes could not be sealed", bug);
        }
    }

    /** Never throws because of the bytes. */
    public Opened open(String place, byte[] sealed) {
        if (sealed.length == 0 || sealed[0] != CLEAR && sealed[0] != SEALED) {
            return new Opened.Closed("this pipeline never sealed these bytes, or they were changed since");
        }
        byte[] rest = Arrays.copyOfRange(sealed, 1, sealed.length);
        if (sealed[0] == CLEAR) {
            return inTheClear ? new Opened.Readable(rest)
                    : new Opened.Closed(("these bytes are not sealed: they were stored unsealed in a trial, or another program wrote them. "
                            + "If you know that it was a trial, read them with %s=yes; otherwise purge them")
                            .formatted(Settings.INSECURE.name()));
        }
        if (file.isEmpty()) {
            return new Opened.Closed("there is no data key here: give the file with the private keys in " + name);
        }
        Optional<HybridDecrypt> unseals;
        try {
            unseals = keys(file.get()).unseals;
        } catch (IllegalArgumentException noKeys) {
            return new Opened.Closed(noKeys.getMessage());
        }
        if (unseals.isEmpty()) {
            return new Opened.Closed("the file of %s has only public keys, which seal and never open: give the file with the private keys"
                    .formatted(name));
        }
        try {
            return new Opened.Readable(unseals.get().decrypt(rest, context(place)));
        } catch (GeneralSecurityException notOurs) {
            return new Opened.Closed(
                    ("no key in the file of %s opens it: it was sealed with another key, or was changed or moved here. Add the "
                            + "key that sealed it to the file").formatted(name));
        }
    }

    private Keys keys(Supplier<String> current) {
        String text = current.get();
        Keys last = latest.orElseGet(() -> parsed(text));
        if (!text.equals(last.text)) {
            try {
                last = parsed(text);
            } catch (IllegalArgumentException noKeys) {
                // Not a field: this class's settings are read before logging is configured.
                LoggerFactory.getLogger(Vault.class).warn("{}. The previous keys stay in use; put a complete file there",
                        noKeys.getMessage());
                last = new Keys(text, last.seals, last.unseals);
            }
        }
        latest = Optional.of(last);
        return last;
    }

    private Keys parsed(String text) {
        try {
            KeysetHandle handle = DataKeys.parse(text);
            boolean isPrivate = DataKeys.isPrivate(handle);
            KeysetHandle seals = isPrivate ? handle.getPublicKeysetHandle() : handle;
            return new Keys(text, seals.getPrimitive(RegistryConfiguration.get(), HybridEncrypt.class),
                    isPrivate ? Optional.of(handle.getPrimitive(RegistryConfiguration.get(), HybridDecrypt.class)) : Optional.empty());
        } catch (GeneralSecurityException noKeys) {
            throw new IllegalArgumentException("%s: the file holds no data keys; chargeonce data-key makes one".formatted(name));
        }
    }

    private static byte[] context(String place) {
        return ("chargeonce " + place).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] marked(byte mark, byte[] bytes) {
        return ByteBuffer.allocate(bytes.length + 1).put(mark).put(bytes).array();
    }

    /** Leaves the keys out. */
    @Override
    public String toString() {
        return file.isPresent() ? "Vault" : inTheClear ? "Vault[in the clear]" : "Vault[without key]";
    }
}
