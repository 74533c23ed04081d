// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.psp.PspProvider;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Brings Adyen. */
public final class AdyenProvider implements PspProvider {

    private static final Setting<Secret> API_KEY = Setting.tokenFile("CHARGEONCE_ADYEN_API_KEY_FILE",
            "File with the API key for Adyen; without it, no payment goes to the account 'adyen'.");
    private static final Setting<URI> API_BASE = Setting.pspUri("CHARGEONCE_ADYEN_API_BASE",
            "The address of Adyen's Checkout API, with its version.").orElse(AdyenSettings.API_BASE);
    private static final Setting<String> MERCHANT_ACCOUNT = Setting.string("CHARGEONCE_ADYEN_MERCHANT_ACCOUNT",
            "Our merchant account at Adyen.").orElse(AdyenSettings.MERCHANT_ACCOUNT);
    private static final Setting<Optional<Secret>> HMAC_KEY = Setting.tokenFile("CHARGEONCE_ADYEN_HMAC_KEY_FILE",
            "File with the HMAC key of Adyen's webhooks, in hexadecimal; without it refunds at Adyen stay unknown.").optional();

    @Override
    public PspRules rules() {
        return PspRules.ADYEN;
    }

    @Override
    public Map<String, Setting<?>> settings() {
        return Map.of("key", API_KEY, "base", API_BASE, "account", MERCHANT_ACCOUNT, "webhooks", HMAC_KEY);
    }

    @Override
    public PspSettings account(PspAccount account) {
        return new AdyenSettings(account.name(), account.get(API_KEY), account.get(MERCHANT_ACCOUNT), account.get(API_BASE).toString(),
                account.callTimeout(), account.get(HMAC_KEY).map(key -> key));
    }
}
