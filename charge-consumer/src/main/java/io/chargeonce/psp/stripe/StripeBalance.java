// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
import com.stripe.net.ApiResource;
import com.stripe.net.RawRequestOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lists what Stripe booked in an account: its balance transactions, each with the charge or refund that it comes from. Reads only, one page
 * at a time, so that its memory does not grow. A key that is restricted to reading is enough.
 */
public final class StripeBalance {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** Each with its charge: a page must stay below the longest body. */
    private static final int PAGE = 50;
    private static final JsonMapper JSON = new JsonMapper();

    private final StripeClient stripe;

    public StripeBalance(StripeSettings settings) {
        this.stripe = StripeClient.builder()
                .setApiKey(settings.apiKey().get())
                .setApiBase(settings.apiBase())
                .setMaxNetworkRetries(0)
                .setHttpClient(new JdkHttpClient(CONNECT_TIMEOUT, settings.callTimeout(), settings.apiKey()))
                .build();
    }

    /**
     * The newest first.
     *
     * @param from the first second that counts
     * @param to   the first second that does not
     * @throws StripeException if a page cannot be read; what came before it was handed on
     */
    public void each(Instant from, Instant to, Consumer<JsonNode> transaction) throws StripeException {
        String after = "";
        boolean more = true;
        while (more) {
            JsonNode page = page(from, to, after);
            for (JsonNode one : page.path("data")) {
                after = one.path("id").asString("");
                transaction.accept(one);
            }
            more = page.path("has_more").asBoolean(false) && !page.path("data").isEmpty();
        }
    }

    private JsonNode page(Instant from, Instant to, String after) throws StripeException {
        String path = "/v1/balance_transactions?limit=%d&created[gte]=%d&created[lt]=%d&expand[]=data.source%s".formatted(PAGE,
                from.getEpochSecond(), to.getEpochSecond(), after.isEmpty() ? "" : "&starting_after=" + after);
        var answer = stripe.rawRequest(ApiResource.RequestMethod.GET, path, null, RawRequestOptions.builder().build());
        try {
            JsonNode page = JSON.readTree(answer.body());
            if (page.path("data").isArray()) {
                return page;
            }
        } catch (JacksonException notJson) {
            throw unreadable(answer.requestId(), answer.code(), notJson);
        }
        throw unreadable(answer.requestId(), answer.code(), null);
    }

    private static ApiException unreadable(String request, int status, Exception why) {
        return new ApiException("Stripe's answer is no list of balance transactions", request, null, status, why);
    }
}
