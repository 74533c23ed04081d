// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.stripe.StripeClient;
import com.stripe.param.PaymentIntentCreateParams;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Needs a Docker engine and the image of {@code deploy/docker/build}. */
@EnabledIfSystemProperty(named = "stack", matches = "containers")
class SimulatorsContainerTest {

    private static String get(URI at, String path) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(at.resolve(path)).build(), BodyHandlers.ofString()).body();
        }
    }

    @Test
    void a_payment_at_the_container_is_in_its_ledger() throws Exception {
        try (var psps = new ChargeonceSimulatorsContainer("chargeonce-simulators:local")) {
            psps.start();
            var stripe = StripeClient.builder().setApiKey(PspSimulators.STRIPE_KEY).setApiBase(psps.stripe().toString()).build();
            stripe.v1().paymentIntents().create(PaymentIntentCreateParams.builder().setAmount(1299L).setCurrency("eur")
                    .setPaymentMethod("pm_card_visa").addPaymentMethodType("card").setConfirm(true).build());
            assertThat(get(psps.stripe(), "/_sandbox/movements")).contains("1299");
            assertThat(get(psps.adyen(), "/_sandbox/counts")).contains("captures");
        }
    }
}
