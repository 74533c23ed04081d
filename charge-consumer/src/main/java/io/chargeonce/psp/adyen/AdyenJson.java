// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Adyen's messages, as far as they are read here. What a message does not have is null. */
final class AdyenJson {

    static final JsonMapper MAPPER = JsonMapper.builder().disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT).build();

    private AdyenJson() {}

    /** In Adyen's own minor units. */
    record Amount(String currency, Long value) {
    }

    /** The answer to a payment. */
    record Paid(String pspReference, String resultCode, String merchantReference, Amount amount, String refusalReason,
            String refusalReasonCode, Map<String, String> additionalData) {
    }

    /** The answer to a refund: Adyen has received it. */
    record Received(String pspReference, String paymentPspReference, String reference, String status, Amount amount) {
    }

    record Refusal(String errorCode, String message) {
    }

    record Notification(List<Entry> notificationItems) {
    }

    record Entry(@JsonProperty("NotificationRequestItem") Item item) {
    }

    /** An item of a webhook. */
    record Item(Map<String, String> additionalData, Amount amount, String eventCode, OffsetDateTime eventDate, String merchantAccountCode,
            String merchantReference, String originalReference, String pspReference, String reason, Boolean success) {

        /** Has all without which it says nothing about money. */
        boolean isWhole() {
            return additionalData != null && amount != null && amount.currency != null && amount.value != null && eventCode != null
                    && pspReference != null;
        }

        boolean isSuccess() {
            return success != null && success;
        }

        /** What Adyen signs. https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures */
        String signed() {
            return Stream.of(pspReference, originalReference, merchantAccountCode, merchantReference, amount.value, amount.currency,
                    eventCode, isSuccess()).map(part -> part == null ? "" : part.toString()).collect(Collectors.joining(":"));
        }
    }

    /** Empty if it is no such message. */
    static <T> Optional<T> read(String json, Class<T> message) {
        try {
            return Optional.ofNullable(MAPPER.readValue(json, message));
        } catch (JacksonException unreadable) {
            return Optional.empty();
        }
    }
}
