// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.story.Export;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Operation;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** Results for scripts, one JSON object per line. Amounts are integer minor units. */
public final class Json {

    /** Pure ASCII, so that foreign text cannot control the terminal. */
    private static final JsonMapper ASCII = PaymentJson.MAPPER.rebuild().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Json() {}

    public static String line(Map<String, ?> object) {
        return ASCII.writeValueAsString(object);
    }

    public static Map<String, Object> exported(Export.Exported exported) {
        Map<String, Object> json = letter(exported.letter());
        if (!exported.payment().isEmpty()) {
            json.put("payment", exported.payment());
        }
        exported.source().ifPresent(source -> json.put("source", source(source)));
        return json;
    }

    public static Map<String, Object> letter(DeadLetterView letter) {
        var json = new LinkedHashMap<String, Object>();
        json.put("dead_letter_id", letter.id());
        putIfPresent(json, "operation_id", letter.operationId());
        putIfPresent(json, "merchant", letter.merchant());
        letter.money().ifPresent(money -> {
            json.put("amount", money.minorUnits());
            json.put("currency", money.currency());
        });
        putIfPresent(json, "psp", letter.psp());
        json.put("state", letter.state());
        json.put("cause", letter.cause());
        json.put("message", letter.message());
        json.put("generation", letter.generation());
        json.put("tier", letter.tier());
        json.put("revision", letter.revision());
        json.put("died_at", letter.diedAt().toString());
        json.put("age_seconds", letter.age().toSeconds());
        json.put("changed_at", letter.changedAt().toString());
        json.put("standing", letter.standing().tag());
        putIfPresent(json, "target", letter.target());
        return json;
    }

    public static Map<String, Object> group(Summary.Group group) {
        var json = new LinkedHashMap<String, Object>();
        json.put("cause", group.cause());
        putIfPresent(json, "psp", group.psp());
        putIfPresent(json, "merchant", group.merchant());
        json.putAll(sum(group.sum()));
        json.put("oldest_seconds", group.oldest().toSeconds());
        group.keyValidUntil().ifPresent(at -> json.put("key_valid_until", at.toString()));
        if (group.keysForgotten() > 0) {
            json.put("keys_forgotten", group.keysForgotten());
        }
        json.put("standings", standings(group.standings()));
        return json;
    }

    public static Map<String, Object> sum(Sum sum) {
        var json = new LinkedHashMap<String, Object>();
        json.put("count", sum.count());
        json.put("money", sum.money());
        return json;
    }

    public static Map<String, Object> standings(SumsByKind<MoneyStatus> standings) {
        return sums(standings, MoneyStatus.values());
    }

    public static <K extends Enum<K>> Map<String, Object> sums(SumsByKind<K> sums, K[] kinds) {
        var json = new LinkedHashMap<String, Object>();
        for (K kind : kinds) {
            json.put(kind.name().toLowerCase(Locale.ROOT), sum(sums.of(kind)));
        }
        return json;
    }

    public static Map<String, Object> story(Story story) {
        Map<String, Object> json = letter(story.letter());
        story.operation().ifPresent(operation -> json.put("operation", operation(operation, story.reference())));
        json.put("attempts", story.attempts().stream().map(Json::attempt).toList());
        story.source().ifPresent(source -> json.put("source", source(source)));
        putIfPresent(json, "edited", story.edited());
        json.put("history", story.audit().stream().map(Json::deed).toList());
        return json;
    }

    private static Map<String, Object> operation(Operation operation, Optional<String> reference) {
        var json = new LinkedHashMap<String, Object>();
        json.put("state", operation.state().tag());
        json.put("step", operation.step());
        json.put("generation", operation.generation());
        json.put("idempotency_key", operation.accepted().idempotencyKey());
        putIfPresent(json, "reference", reference);
        json.put("accepted_at", operation.accepted().at().toString());
        return json;
    }

    private static Map<String, Object> attempt(Attempt attempt) {
        var json = new LinkedHashMap<String, Object>();
        json.put("sequence", attempt.sequence());
        json.put("generation", attempt.generation());
        json.put("psp", attempt.psp());
        json.put("psp_key", attempt.key().value());
        json.put("state", attempt.state().tag());
        json.put("sent_at", attempt.sentAt().toString());
        json.put("sends", attempt.sends());
        json.put("key_valid_until", attempt.keyValidUntil().toString());
        putIfPresent(json, "psp_reference", attempt.pspReference());
        putIfPresent(json, "cause", attempt.cause());
        putIfPresent(json, "message", attempt.message());
        return json;
    }

    /** Bytes as base64. */
    private static Map<String, Object> source(Story.Source source) {
        var json = new LinkedHashMap<String, Object>();
        json.put("topic", source.topic());
        json.put("partition", source.partition());
        json.put("offset", source.offset());
        putIfPresent(json, "key", source.key());
        putIfPresent(json, "value", source.value());
        putIfPresent(json, "headers", source.headers());
        putIfPresent(json, "closed", source.closed());
        return json;
    }

    private static Map<String, Object> deed(Story.Deed deed) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", deed.at().toString());
        json.put("actor", deed.actor());
        json.put("action", deed.action());
        putIfPresent(json, "reason", deed.reason());
        deed.data().ifPresent(data -> json.put("data", PaymentJson.MAPPER.readTree(data)));
        return json;
    }

    public static void putIfPresent(Map<String, Object> json, String name, Optional<?> value) {
        value.ifPresent(present -> json.put(name, present));
    }
}
