// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The keys that sign seals: the first makes new marks, the others only check old ones. They are never in the database. Immutable. */
public final class AuditKeys {

    public static final Setting<Optional<Secret>> FILE = Setting.secretFile("CHARGEONCE_AUDIT_KEY_FILE",
            "File with the key of the audit log's seals, at least 32 characters; older keys follow below it, one per line.")
            .optional();

    /** No key: marks are plain hashes, which the database's owner can make too. */
    public static final AuditKeys NONE = new AuditKeys(Map.of());

    private static final int SHORTEST = 32;
    private static final int ID_BYTES = 4;

    private final Map<String, byte[]> byId;

    private AuditKeys(Map<String, byte[]> byId) {
        this.byId = byId;
    }

    /** @throws IllegalArgumentException if a key is too short; the message has the setting's name and not the key */
    public static AuditKeys of(Optional<Secret> file) {
        var byId = new LinkedHashMap<String, byte[]>();
        file.ifPresent(secret -> secret.value().lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(line -> {
            if (line.length() < SHORTEST) {
                throw new IllegalArgumentException(
                        FILE.name() + ": a key has at least %d characters, not %d".formatted(SHORTEST, line.length()));
            }
            byte[] key = line.getBytes(StandardCharsets.UTF_8);
            byId.putIfAbsent(id(key), key);
        }));
        return byId.isEmpty() ? NONE : new AuditKeys(byId);
    }

    public boolean isEmpty() {
        return byId.isEmpty();
    }

    /** The id of the key for new seals; empty if there is no key. */
    Optional<String> current() {
        return byId.keySet().stream().findFirst();
    }

    boolean has(String keyId) {
        return byId.containsKey(keyId);
    }

    /** @param keyId one of these keys, or empty for a plain hash */
    byte[] mark(Optional<String> keyId, byte[] sealed) {
        try {
            if (keyId.isEmpty()) {
                return MessageDigest.getInstance("SHA-256").digest(sealed);
            }
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(byId.get(keyId.get()), "HmacSHA256"));
            return mac.doFinal(sealed);
        } catch (GeneralSecurityException everyJdkHasThem) {
            throw new IllegalStateException(everyJdkHasThem);
        }
    }

    /** Identifies a key and reveals nothing about it. */
    private static String id(byte[] key) {
        byte[] about = "chargeonce audit key id ".getBytes(StandardCharsets.UTF_8);
        byte[] named = Arrays.copyOf(about, about.length + key.length);
        System.arraycopy(key, 0, named, about.length, key.length);
        return HexFormat.of().formatHex(NONE.mark(Optional.empty(), named), 0, ID_BYTES);
    }

    /** Leaves the keys out. */
    @Override
    public String toString() {
        return "AuditKeys" + byId.keySet();
    }
}
