// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.net.RequestOptions;
import com.stripe.param.PaymentIntentCreateParams;
import java.net.URI;

/** A customer who pays through Stripe's own Java client, with its retries off. */
final class Customer {
    static {
        // Otherwise the JDK's old client, which stripe-java uses, sends a POST again by itself when the connection breaks.
        System.setProperty("sun.net.http.retryPost", "false");
    }

    final StripeClient stripe;

    Customer(StripeSimulator simulator) {
        this(simulator.apiBase());
    }

    Customer(URI apiBase) {
        this.stripe = StripeClient.builder().setApiKey("sk_test_customer").setApiBase(apiBase.toString())
                .setMaxNetworkRetries(0).build();
    }

    static RequestOptions key(String key) {
        return RequestOptions.builder().setIdempotencyKey(key).build();
    }

    static PaymentIntentCreateParams.Builder payment(long amount, String method) {
        return PaymentIntentCreateParams.builder().setAmount(amount).setCurrency("eur").setPaymentMethod(method)
                .addPaymentMethodType("card").putMetadata("payment_id", "pay_1");
    }

    PaymentIntent create(long amount, String method, String key) throws StripeException {
        return stripe.v1().paymentIntents().create(payment(amount, method).build(), key(key));
    }

    PaymentIntent confirm(String id, String key) throws StripeException {
        return stripe.v1().paymentIntents().confirm(id, key(key));
    }

    PaymentIntent cancel(String id) throws StripeException {
        return stripe.v1().paymentIntents().cancel(id);
    }

    PaymentIntent retrieve(String id) throws StripeException {
        return stripe.v1().paymentIntents().retrieve(id);
    }

    /** Creates and confirms. */
    PaymentIntent pay(long amount, String name) throws StripeException {
        return confirm(create(amount, "pm_card_visa", name + "-create").getId(), name + "-confirm");
    }
}
