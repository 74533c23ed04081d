// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import io.chargeonce.payment.CardNumbers;
import io.chargeonce.text.Cut;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A record of the main topic or a tier, decoded: a request, poison with its cause, or a request of the version after ours. Never throws.
 */
public sealed interface Decoded {

    record Request(PaymentRecord record) implements Decoded {}

    /** Written by a process of the next release. During the rollout one of its consumers will read it. */
    record Newer(int version) implements Decoded {
        public String detail() {
            return "version %d, where this consumer reads %d".formatted(version, PaymentRecord.VERSION);
        }
    }

    record Poison(PoisonCause cause, String detail) implements Decoded {}

    /** Requests are accepted up to 64 KiB; a record of twice that is none of ours. */
    int LARGEST_VALUE = 128 * 1024;
    /** The longest {@code merchant_id}. */
    int LONGEST_MERCHANT = 63;

    /** @param key and value as Kafka returns them: either may be null */
    static Decoded from(byte[] key, byte[] value) {
        if (value == null || value.length == 0) {
            return new Poison(PoisonCause.EMPTY, "the record has no value");
        }
        if (value.length > LARGEST_VALUE) {
            return new Poison(PoisonCause.OVERSIZED,
                    "%,d bytes, where a request has at most %,d".formatted(value.length, LARGEST_VALUE));
        }
        try {
            return fromJson(key, PaymentJson.MAPPER.readTree(value));
        } catch (JacksonException e) {
            return new Poison(PoisonCause.UNDECODABLE, JsonProblem.of(e));
        }
    }

    private static Decoded fromJson(byte[] key, JsonNode json) {
        if (!PaymentRecord.TYPE.equals(json.path("type").asString(""))) {
            return json.path("type").isString()
                    ? new Poison(PoisonCause.WRONG_TOPIC, "type '%s' does not belong here".formatted(brief(json.path("type"))))
                    : new Poison(PoisonCause.UNDECODABLE, "no JSON object with a type");
        }
        int version = json.path("version").asInt(0);
        if (version == PaymentRecord.VERSION + 1) {
            return new Newer(version);
        }
        if (version < PaymentRecord.OLDEST_VERSION || version > PaymentRecord.VERSION) {
            return new Poison(PoisonCause.WRONG_VERSION,
                    "version %s, where this consumer reads %d to %d".formatted(
                            brief(json.path("version")), PaymentRecord.OLDEST_VERSION, PaymentRecord.VERSION));
        }
        PaymentRecord record = PaymentJson.MAPPER.treeToValue(json, PaymentRecord.class);
        if (key == null || !Arrays.equals(key, record.operationId().getBytes(StandardCharsets.UTF_8))) {
            return new Poison(PoisonCause.KEY_MISMATCH, "the record's key is not the operation's id");
        }
        return new Request(record);
    }

    /**
     * The merchant in the record, even if the rest is wrong; empty where none can be read. Faster than decoding everything, and used only
     * to decide whose turn it is.
     */
    static Optional<String> merchant(byte[] value) {
        if (value == null || value.length > LARGEST_VALUE) {
            return Optional.empty();
        }
        try (JsonParser json = PaymentJson.MAPPER.createParser(value)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return Optional.empty();
            }
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean named = json.currentName().equals("merchant");
                JsonToken token = json.nextToken();
                if (named) {
                    return Optional.of(json).filter(string -> token == JsonToken.VALUE_STRING).map(JsonParser::getString)
                            .filter(id -> !id.isEmpty() && id.length() <= LONGEST_MERCHANT);
                }
                json.skipChildren();
            }
            return Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** Messages are shown and logged, so numbers that may belong to a card or an account are masked. */
    private static String withoutNumbers(String text) {
        return CardNumbers.hiddenIn(text).replaceAll("\\d(?:[ -]?\\d){11,}", "#");
    }

    private static String brief(JsonNode node) {
        return Cut.to(40, withoutNumbers(node.asString("")));
    }
}
