// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import tools.jackson.core.JsonGenerator;

/** Money in Adyen's minor units. */
public record Amount(long value, String currency) {
    void write(JsonGenerator json) {
        json.writeObjectPropertyStart("amount");
        json.writeStringProperty("currency", currency);
        json.writeNumberProperty("value", value);
        json.writeEndObject();
    }
}
