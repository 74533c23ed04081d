// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static io.chargeonce.load.attack.AttackSession.PAYMENTS;
import static io.chargeonce.load.attack.AttackSession.json;
import static io.chargeonce.load.attack.AttackSession.newKey;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.util.List;

/** A card number, in every spelling, through each door. It is a test number that no card has. */
final class CardAttacks {

    private CardAttacks() {}

    private static final String VISA = "4111111111111111";

    private static final List<String> SPELLINGS = List.of(VISA, "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111",
            "4111/1111/1111/1111", "4111_1111_1111_1111", "41 11 11 11 11 11 11 11", "4111\u00a01111\u00a01111\u00a01111",
            "4111\u20131111\u20131111\u20131111", "4111\u200b1111\u200b1111\u200b1111", "\uff14" + "\uff11".repeat(15),
            "\u0664" + "\u0661".repeat(15), VISA + "1230123", VISA + " 12/30 123", "378282246310005", "3782 822463 10005",
            "5555555555554444",
            "visa" + VISA + "x", "%34111111111111111".replace("%3", "\\u003"), "a " + VISA + " b");

    /** What fits into a header or a path as it is. */
    private static final List<String> PLAIN_SPELLINGS = SPELLINGS.stream().filter(text -> text.matches("[!-~]+")
            && !text.contains("\\")).toList();

    private static final List<String> FIELDS = List.of("description", "reference", "customer", "receipt_email", "payment_method");

    static final List<Attack> ALL = List.of(
            Attack.plain("card-as-key", "card numbers as the Idempotency-Key", CardAttacks::asKey),
            Attack.plain("card-in-field", "card numbers in each field of a payment", CardAttacks::inFields),
            Attack.plain("card-in-batch", "card numbers in a batch's lines, as key and as description", CardAttacks::inBatch),
            Attack.plain("card-in-refund", "card numbers as a refund's reference and key", CardAttacks::inRefund),
            Attack.plain("card-in-trace", "card numbers as traceparent and as another key of the body", CardAttacks::elsewhere));

    private static Result asKey(AttackSession siege) throws IOException {
        var several = new Several();
        for (String card : PLAIN_SPELLINGS) {
            several.add(card, siege.ask("POST", PAYMENTS, siege.asItself() + json(card), AttackSession.honest()));
        }
        return several.result();
    }

    private static String payment(String field, String text) {
        return "{\"amount\":1299,\"currency\":\"EUR\",%s\"%s\":\"%s\"}".formatted(
                field.equals("payment_method") ? "" : "\"payment_method\":\"pm_card_visa\",", field, text);
    }

    private static Result inFields(AttackSession siege) throws IOException {
        var several = new Several();
        for (String field : FIELDS) {
            for (String card : SPELLINGS) {
                String text = field.equals("receipt_email") ? card + "@example.com" : card;
                several.add(field + "=" + card, siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), payment(field, text)));
            }
        }
        return several.result();
    }

    private static Result inBatch(AttackSession siege) throws IOException {
        var several = new Several();
        for (String card : SPELLINGS) {
            for (String line : List.of(payment("idempotency_key", card), payment("description", card).replaceFirst("\\{",
                    "{\"idempotency_key\":\"" + newKey() + "\","))) {
                Reply reply = siege.ask("POST", PAYMENTS + "/batch", siege.asItself() + "Content-Type: application/x-ndjson\r\n", line
                        + "\n");
                boolean held = reply.refused() || reply.status() == 200 && reply.body().matches("(?s).*\"status\"\\s*:\\s*4\\d\\d.*");
                several.add(card, held, reply.toString());
            }
        }
        return several.result();
    }

    private static Result inRefund(AttackSession siege) throws IOException {
        String payment = PAYMENTS + "/" + AttackSession.idOf(siege.pay(siege.target.token())) + "/refunds";
        var several = new Several();
        for (String card : SPELLINGS) {
            several.add(card, siege.ask("POST", payment, siege.asItself() + "Content-Type: application/json\r\n",
                    "{\"amount\":1,\"reference\":\"" + card + "\"}"));
        }
        for (String card : PLAIN_SPELLINGS) {
            several.add("key " + card, siege.ask("POST", payment, siege.asItself() + json(card), "{\"amount\":1}"));
        }
        return several.result();
    }

    /** What is taken nowhere must be told nowhere either. */
    private static Result elsewhere(AttackSession siege) throws IOException {
        var several = new Several();
        Reply traced =
                siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()) + "traceparent: " + VISA + "\r\n", AttackSession.honest());
        several.add("traceparent", !traced.text().contains(VISA) && traced.status() < 500 && !traced.silent(), traced.toString());
        Reply named =
                siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), AttackSession.honest().replace("}", ",\"" + VISA + "\":1}"));
        several.add("a field's name", named.refused() && !named.text().contains(VISA), named.toString());
        return several.result();
    }
}
