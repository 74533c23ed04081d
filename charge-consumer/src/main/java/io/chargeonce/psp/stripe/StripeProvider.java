// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.psp.PspProvider;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Brings Stripe. */
public final class StripeProvider implements PspProvider {

    public static final Setting<Secret> API_KEY = Setting.tokenFile("CHARGEONCE_STRIPE_API_KEY_FILE",
            "File with the secret key for Stripe; without it, no payment goes to the account 'stripe'.");
    public static final Setting<URI> API_BASE = Setting.pspUri("CHARGEONCE_STRIPE_API_BASE",
            "The address of Stripe's API.").orElse(StripeSettings.API_BASE);
    private static final Setting<Optional<Secret>> WEBHOOK_SECRET = Setting.tokenFile("CHARGEONCE_STRIPE_WEBHOOK_SECRET_FILE",
            "File with the signing secret of Stripe's webhooks; without it none is accepted.").optional();

    @Override
    public PspRules rules() {
        return PspRules.STRIPE;
    }

    @Override
    public Map<String, Setting<?>> settings() {
        return Map.of("key", API_KEY, "base", API_BASE, "webhooks", WEBHOOK_SECRET);
    }

    @Override
    public PspSettings account(PspAccount account) {
        return new StripeSettings(account.name(), account.get(API_KEY), account.get(API_BASE).toString(), account.callTimeout(),
                account.get(WEBHOOK_SECRET).map(secret -> secret), account.sendsReceipts());
    }
}
