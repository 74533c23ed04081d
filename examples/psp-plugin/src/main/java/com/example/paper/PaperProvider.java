// SPDX-License-Identifier: Apache-2.0
package com.example.paper;

import io.chargeonce.payment.PspUnits;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.psp.PspProvider;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.net.URI;
import java.util.Map;

/** Brings Paper, a PSP that exists only in this example. */
public final class PaperProvider implements PspProvider {

    /** It counts dinars in hundredths: an amount with a last fil that is not 0 cannot be said. */
    static final PspRules RULES = new PspRules("paper", PspUnits.none().with(2, 1, "EUR GBP USD").with(0, 1, "JPY").with(2, 1, "KWD"),
            new PspRules.Field("drawer", 1, 100), new PspRules.Field("card", 1, 40), false);

    private static final Setting<Secret> KEY =
            Setting.tokenFile("CHARGEONCE_PSP_PAPER_KEY_FILE", "File with the API key for Paper.");
    private static final Setting<URI> BASE = Setting.pspUri("CHARGEONCE_PSP_PAPER_BASE", "The address of Paper's API.");

    @Override
    public PspRules rules() {
        return RULES;
    }

    @Override
    public Map<String, Setting<?>> settings() {
        return Map.of("key", KEY, "base", BASE);
    }

    @Override
    public PspSettings account(PspAccount account) {
        return new PaperSettings(account.name(), account.get(KEY), account.get(BASE).toString(), account.callTimeout());
    }
}
