// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** JSON as the pipeline reads and writes it: snake_case, strict, with fixed limits. */
public final class PaymentJson {

    private static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxNestingDepth(16).maxNumberLength(32).maxNameLength(256)
            .maxStringLength(2 * 1024 * 1024).maxTokenCount(10_000).build();

    /** For records that may get new fields in later versions: unknown fields are skipped. */
    public static final JsonMapper MAPPER = JsonMapper
            .builder(JsonFactory.builder().streamReadConstraints(LIMITS).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(tools.jackson.databind.MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultPropertyInclusion(value -> value.withValueInclusion(
                    com.fasterxml.jackson.annotation.JsonInclude.Include.NON_ABSENT))
            .build();

    private PaymentJson() {}

    public static byte[] write(Object record) {
        return MAPPER.writeValueAsBytes(record);
    }
}
