// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.overview.WitnessJson;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.json.DisputeJson;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.json.MomentJson;
import io.chargeonce.dlq.personal.Unmasked;
import io.chargeonce.dlq.run.Cancels;
import io.chargeonce.dlq.query.PaymentSearch;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.http.Answer;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.PurgedLetters;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.text.Cut;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** One payment: found by any of its names, and told as a whole. */
record PaymentRoutes(WitnessView witness) implements ConsoleApi.Routes {

    private static final int LONGEST_NAME = 300;

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/find", this::find);
        rules.get("/api/payments/{id}", this::payment);
        rules.post("/api/payments/{id}/cancel", PaymentRoutes::cancel);
    }

    private Answer find(Call call) {
        String name = call.query("q").map(String::strip).filter(text -> !text.isEmpty() && !Cut.isLonger(text, LONGEST_NAME))
                .orElseThrow(
                        () -> ConsoleProblems.wrong("q is missing, or is longer than %d characters.".formatted(LONGEST_NAME)).refusal());
        List<Map<String, Object>> hits = PaymentSearch.find(call.queue(), name).stream().map(PaymentRoutes::hit).toList();
        return ConsoleApi.json(200, Map.of("items", hits.isEmpty() ? poison(call, name) : hits, "most", PaymentSearch.MOST));
    }

    private static Map<String, Object> hit(PaymentSearch.Found found) {
        var json = new LinkedHashMap<String, Object>();
        json.put("payment_id", found.id());
        json.put("kind", found.kind());
        json.put("merchant", found.merchant());
        json.put("matched", found.matched());
        json.put("state", found.state());
        json.put("amount", found.money().minorUnits());
        json.put("currency", found.money().currency());
        json.put("accepted_at", found.acceptedAt().toString());
        json.put("dead_letter", found.listed());
        return json;
    }

    /** A record that never became a payment has only the id of its dead letter. */
    private static List<Map<String, Object>> poison(Call call, String id) {
        return Story.of(call.queue(), id).stream().map(story -> {
            var json = new LinkedHashMap<String, Object>();
            json.put("payment_id", story.letter().id());
            json.put("kind", "poison");
            json.put("matched", "dead_letter_id");
            json.put("state", story.letter().state());
            json.put("dead_letter", true);
            return (Map<String, Object>) json;
        }).toList();
    }

    private Answer payment(Call call) {
        String id = call.path("id");
        Life life = Life.of(call.queue(), id)
                .orElseThrow(() -> ConsoleProblems.noSuch("No payment, refund or dead letter has this id.").refusal());
        Optional<String> unmasked = call.query("unmasked");
        unmasked.ifPresent(reason -> Unmasked.one(call.queue(), id, DeadLetterRoutes.by(call, reason)));
        var json = new LinkedHashMap<String, Object>();
        json.put("id", life.id());
        json.put("payment", life.operation().map(PaymentRoutes::now).orElse(null));
        json.put("why", life.moments().stream().map(MomentJson::of).toList());
        json.put("holds", life.holds().stream().map(HoldJson::of).toList());
        json.put("disputes", life.disputes().stream().map(DisputeJson::of).toList());
        json.put("journey", witness.journey(life.operation().map(operation -> operation.accepted().payment().value()).orElse(id)).stream()
                .map(WitnessJson::hop).toList());
        json.put("dead_letters", Stream.concat(Stream.of(id), life.moments().stream().flatMap(PaymentRoutes::movedBack))
                .flatMap(one -> Story.of(call.queue(), one).stream())
                .map(story -> letter(story, unmasked.isPresent() && story.letter().id().equals(id))).toList());
        return ConsoleApi.json(200, json);
    }

    private static Answer cancel(Call call) {
        AuditContext by = call.by(Filters.reason(call.text("reason"), true));
        Cancels.Canceled canceled = new Cancels(call.queue()).cancel(call.path("id"), by);
        return switch (canceled.result()) {
            case UNKNOWN -> throw ConsoleProblems.noSuch("No payment has this id.").refusal();
            case CAPTURED -> throw ConsoleProblems.notNow("It was charged already.", "Refund it to give the money back.").refusal();
            case DECLINED -> throw ConsoleProblems.notNow("It was declined.", "There is nothing to cancel.").refusal();
            case PURGED -> throw ConsoleProblems.notNow("It was purged and has ended.", "There is nothing to cancel.").refusal();
            case CANCELED, CANCELING -> ConsoleApi.json(200, Map.of("result", canceled.result().tag(), "run", by.run()));
        };
    }

    private static Map<String, Object> letter(Story story, boolean unmasked) {
        Map<String, Object> json = Json.story(unmasked ? story : story.masked());
        if (story.letter().state().equals("purged")
                && story.operation().filter(operation -> operation.state() != OperationState.PURGED).isEmpty()) {
            json.put("restorable_until", story.letter().changedAt().plus(PurgedLetters.KEPT).toString());
        }
        return json;
    }

    private static Stream<String> movedBack(Moment moment) {
        return moment instanceof Moment.GaveBack back ? Stream.of(back.id()) : Stream.empty();
    }

    private static Map<String, Object> now(Operation operation) {
        var accepted = operation.accepted();
        var json = new LinkedHashMap<String, Object>();
        json.put("merchant", accepted.merchant());
        json.put("amount", accepted.request().money().minorUnits());
        json.put("currency", accepted.request().money().currency());
        PaymentMethodId.parse(accepted.request().paymentMethod()).ifPresent(stored -> json.put("payment_method", stored.value()));
        json.put("state", operation.state().tag());
        json.put("canceling", operation.isCanceling());
        json.put("may_be_canceled", operation.kind() == OperationKind.CHARGE && operation.settledAt().isEmpty()
                && operation.cancelRequestedAt().isEmpty());
        json.put("generation", operation.generation());
        json.put("attempts", operation.sequence());
        json.put("accepted_at", accepted.at().toString());
        return json;
    }
}
