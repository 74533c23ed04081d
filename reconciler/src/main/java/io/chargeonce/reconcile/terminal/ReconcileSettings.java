// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.terminal;

import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Database;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.settlement.SettlementKeys;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a reconciliation needs: a login at Postgres, the key that marks lines, and a PSP's key if its lines are fetched.
 *
 * @param accounts the accounts at PSPs that are set up here
 */
public record ReconcileSettings(String databaseUrl, String databaseUser, Supplier<String> databasePassword, SettlementKeys keys,
        List<PspSettings> accounts) {

    public static final List<Setting<?>> ALL = Stream.concat(
            Stream.of(PipelineSettings.DATABASE_URL, PipelineSettings.DATABASE_USER, PipelineSettings.DATABASE_PASSWORD,
                    PipelineSettings.LOG_FORMAT, Settings.INSECURE, SettlementKeys.FILE),
            ChargeSettings.OF_ACCOUNTS.stream()).toList();

    public static ReconcileSettings from(Settings settings) {
        return new ReconcileSettings(settings.get(PipelineSettings.DATABASE_URL), settings.get(PipelineSettings.DATABASE_USER),
                settings.get(PipelineSettings.DATABASE_PASSWORD).<Supplier<String>>map(password -> password).orElse(() -> ""),
                SettlementKeys.of(settings.get(SettlementKeys.FILE)), ChargeSettings.accounts(settings));
    }

    /** The caller closes it. */
    Database open() {
        return Database.openForCommand(databaseUrl, databaseUser, databasePassword.get());
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
        return "ReconcileSettings[%s as %s, %s]".formatted(databaseUrl, databaseUser, accounts);
    }
}
