// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.database.Database;
import io.chargeonce.runtime.Setting;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** What a {@link PspProvider} makes an account of. Immutable. */
public final class PspAccount {

    private final String name;
    private final Map<Setting<?>, Object> values;
    private final Duration callTimeout;
    private final boolean sendsReceipts;
    private final Optional<Database> ours;

    private PspAccount(String name, Map<Setting<?>, Object> values, Duration callTimeout, boolean sendsReceipts, Optional<Database> ours) {
        this.name = name;
        this.values = Map.copyOf(values);
        this.callTimeout = callTimeout;
        this.sendsReceipts = sendsReceipts;
        this.ours = ours;
    }

    /** @param values of each of the provider's settings */
    public static PspAccount of(String name, Map<Setting<?>, Object> values, Duration callTimeout, boolean sendsReceipts) {
        return new PspAccount(name, values, callTimeout, sendsReceipts, Optional.empty());
    }

    /** At a bank: its attempts are rows of ours until a file takes them. */
    public static PspAccount atBank(String name, Database ours) {
        return new PspAccount(name, Map.of(), Duration.ZERO, false, Optional.of(ours));
    }

    /** The account's name, as stored with every attempt: the PSP's own, or that with a dash and another. */
    public String name() {
        return name;
    }

    /** The value of one of the provider's settings. */
    public <T> T get(Setting<T> setting) {
        @SuppressWarnings("unchecked") // The value was parsed by this very setting.
        T value = (T) values.get(setting);
        if (value == null) {
            throw new IllegalStateException("Bug! %s is not among the settings of the PSP of %s".formatted(setting.name(), name));
        }
        return value;
    }

    /** How long one exchange with the PSP may take, its body included: {@code CHARGEONCE_PSP_TIMEOUT}. */
    public Duration callTimeout() {
        return callTimeout;
    }

    /** Whether the PSP shall mail receipts: {@code CHARGEONCE_RECEIPTS=psp}. If not, it gets no address. */
    public boolean sendsReceipts() {
        return sendsReceipts;
    }

    /** Our database; only for a bank's account. */
    public Database ours() {
        return ours.orElseThrow(() -> new IllegalStateException("Bug! %s is no account at a bank".formatted(name)));
    }
}
