// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.bank;

import io.chargeonce.database.Database;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.psp.PspProvider;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.Setting;
import java.util.Map;

/** Brings banks. {@code CHARGEONCE_BANKS} names their accounts; the bank-files service has all else that it needs to know of them. */
public final class BankProvider implements PspProvider {

    private record BankAccount(String name, Database ours) implements PspSettings {

        /** Nothing is called: files are exchanged. */
        @Override
        public String apiBase() {
            return "";
        }

        @Override
        public Gateway gateway() {
            return new BankGateway(name, ours);
        }
    }

    @Override
    public PspRules rules() {
        return PspRules.BANK;
    }

    @Override
    public Map<String, Setting<?>> settings() {
        return Map.of();
    }

    @Override
    public PspSettings account(PspAccount account) {
        return new BankAccount(account.name(), account.ours());
    }
}
