// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

import io.chargeonce.dlq.Sum;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Money in the console's documents: one object for each currency, in minor units. */
public final class MoneyJson {

    private MoneyJson() {}

    public static List<Map<String, Object>> of(Sum sum) {
        return sum.money().entrySet().stream().map(entry -> money(entry.getKey(), entry.getValue(), sum.countOf(entry.getKey()))).toList();
    }

    public static Map<String, Object> money(String currency, long amount, long count) {
        var json = new LinkedHashMap<String, Object>();
        json.put("currency", currency);
        json.put("amount", amount);
        json.put("count", count);
        return json;
    }
}
