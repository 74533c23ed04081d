// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.vault;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.hybrid.HpkeParameters;
import com.google.crypto.tink.hybrid.HybridConfig;
import com.google.crypto.tink.hybrid.HybridPrivateKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Set;

/** Data keys in files, in Tink's JSON. The primary key seals; older keys stay, and open what they sealed. */
public final class DataKeys {

    /** The suffix of the file with the public keys. */
    public static final String PUBLIC = ".public";

    private static final Set<PosixFilePermission> OURS_ALONE = PosixFilePermissions.fromString("rw-------");

    static {
        try {
            HybridConfig.register();
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("Bug! Tink cannot register its own primitives", bug);
        }
    }

    private DataKeys() {}

    /**
     * Creates a file of private keys, or adds a key to it that seals from now on; also writes the file of the public keys beside it. Each
     * file is replaced as a whole and readable by its owner only.
     *
     * @return how many keys it has now
     * @throws IOException              if a file cannot be read or written; then the file of private keys is unchanged
     * @throws IllegalArgumentException if the existing file holds no private data keys
     */
    public static int add(Path file) throws IOException {
        KeysetHandle.Builder before = Files.exists(file) ? KeysetHandle.newBuilder(privateKeys(file)) : KeysetHandle.newBuilder();
        return save(file, before.addEntry(KeysetHandle.generateEntryFromParameters(hpke()).withRandomId().makePrimary()));
    }

    /**
     * Keeps only the primary key. What the other keys sealed can never be opened again. The files are replaced as in {@link #add}.
     *
     * @return how many keys were removed
     * @throws IOException              if a file cannot be read or written
     * @throws IllegalArgumentException if there is no file of private data keys
     */
    public static int dropOld(Path file) throws IOException {
        if (Files.notExists(file)) {
            throw new IllegalArgumentException("there is no file '%s'".formatted(file));
        }
        KeysetHandle keys = privateKeys(file);
        KeysetHandle.Entry newest = keys.getPrimary();
        save(file, KeysetHandle.newBuilder()
                .addEntry(KeysetHandle.importKey(newest.getKey()).withFixedId(newest.getId()).makePrimary()));
        return keys.size() - 1;
    }

    private static int save(Path file, KeysetHandle.Builder builder) throws IOException {
        try {
            KeysetHandle keys = builder.build();
            write(file, TinkJsonProtoKeysetFormat.serializeKeyset(keys, RegistryConfiguration.get(), InsecureSecretKeyAccess.get()));
            write(file.resolveSibling(file.getFileName() + PUBLIC),
                    TinkJsonProtoKeysetFormat.serializeKeysetWithoutSecret(keys.getPublicKeysetHandle(), RegistryConfiguration.get()));
            return keys.size();
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("Bug! The data keys cannot be written", bug);
        }
    }

    private static HpkeParameters hpke() {
        try {
            return HpkeParameters.builder().setVariant(HpkeParameters.Variant.TINK)
                    .setKemId(HpkeParameters.KemId.DHKEM_X25519_HKDF_SHA256).setKdfId(HpkeParameters.KdfId.HKDF_SHA256)
                    .setAeadId(HpkeParameters.AeadId.AES_256_GCM).build();
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("Bug! Tink refuses these HPKE parameters", bug);
        }
    }

    private static KeysetHandle privateKeys(Path file) throws IOException {
        try {
            KeysetHandle keys = parse(Files.readString(file));
            if (isPrivate(keys)) {
                return keys;
            }
        } catch (GeneralSecurityException toldBelow) {
            // It is no file of keys at all; reported below.
        }
        throw new IllegalArgumentException("'%s' exists and holds no private data keys; give a new file name".formatted(file));
    }

    static KeysetHandle parse(String text) throws GeneralSecurityException {
        return TinkJsonProtoKeysetFormat.parseKeyset(text, RegistryConfiguration.get(), InsecureSecretKeyAccess.get());
    }

    static boolean isPrivate(KeysetHandle keys) {
        return keys.getPrimary().getKey() instanceof HybridPrivateKey;
    }

    private static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path part = Files.createTempFile(folder, file.getFileName() + ".", ".part", PosixFilePermissions.asFileAttribute(OURS_ALONE));
        try {
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
