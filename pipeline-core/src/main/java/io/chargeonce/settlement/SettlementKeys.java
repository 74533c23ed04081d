// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.settlement;

import io.chargeonce.payment.PspKey;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys that mark booked lines: the first makes new marks, the others only check old ones. They are never in the database, so a login at
 * the database alone cannot make a line that charge believes. Any thread.
 */
public final class SettlementKeys {

    public static final Setting<Optional<Secret>> FILE = Setting.secretFile("CHARGEONCE_SETTLEMENT_KEY_FILE",
            "File with the key that marks the lines of settlement reports and of banks, at least 32 characters; older keys follow below "
                    + "it, one per line. Only the nightly reconciliation, bank-files and charge have it. Without it, a report's line "
                    + "settles nothing at a PSP that cannot be asked, and a bank's line needs no mark.")
            .optional();

    public static final SettlementKeys NONE = new SettlementKeys(List.of());

    private static final int SHORTEST = 32;

    private final List<byte[]> keys;

    private SettlementKeys(List<byte[]> keys) {
        this.keys = keys;
    }

    /** @throws IllegalArgumentException if a key is too short; the message has the setting's name and not the key */
    public static SettlementKeys of(Optional<Secret> file) {
        List<String> lines = file.map(secret -> secret.value().lines().map(String::strip).filter(line -> !line.isEmpty()).toList())
                .orElse(List.of());
        for (String line : lines) {
            if (line.length() < SHORTEST) {
                throw new IllegalArgumentException(
                        FILE.name() + ": a key has at least %d characters, not %d".formatted(SHORTEST, line.length()));
            }
        }
        return new SettlementKeys(lines.stream().map(line -> line.getBytes(StandardCharsets.UTF_8)).toList());
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Empty without a key. */
    public Optional<byte[]> mark(BookedLine line) {
        return keys.stream().findFirst().map(key -> mark(key, line));
    }

    /** Whether one of these keys made this mark for this line. */
    public boolean madeMark(BookedLine line, byte[] mark) {
        return keys.stream().anyMatch(key -> MessageDigest.isEqual(mark(key, line), mark));
    }

    /** Empty without a key. */
    public Optional<byte[]> mark(BankSaid line) {
        return keys.stream().findFirst().map(key -> mark(key, line.marked()));
    }

    /** Whether one of these keys made this mark for this line. */
    public boolean madeMark(BankSaid line, byte[] mark) {
        return keys.stream().anyMatch(key -> MessageDigest.isEqual(mark(key, line.marked()), mark));
    }

    /** Without the time and the line's number: another report of the same line may have others. No part contains a line break. */
    private static byte[] mark(byte[] key, BookedLine line) {
        return mark(key, String.join("\n", "chargeonce settlement line 1", line.psp(), line.id(), line.key().map(PspKey::value).orElse(""),
                line.moved().tag(), String.valueOf(line.money().minorUnits()), line.money().currency(), line.reference().orElse("")));
    }

    private static byte[] mark(byte[] key, String marked) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(marked.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException everyJdkHasThem) {
            throw new IllegalStateException(everyJdkHasThem);
        }
    }

    /** Leaves the keys out. */
    @Override
    public String toString() {
        return "SettlementKeys[%d]".formatted(keys.size());
    }
}
