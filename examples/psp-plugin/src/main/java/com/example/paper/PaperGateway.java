// SPDX-License-Identifier: Apache-2.0
package com.example.paper;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.psp.http.PspHttp;
import io.chargeonce.psp.http.WireFailure;
import io.chargeonce.text.RetryAfterHeader;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Charges cards at Paper, and gives money back there. A request is executed once under its key. {@code POST /keys/KEY/outcome} says what
 * became of a key; one that Paper has never seen is void from then on. Any thread.
 */
final class PaperGateway implements Gateway, RefundGateway {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final PaperSettings settings;
    private final PspHttp http;

    PaperGateway(PaperSettings settings) {
        this.settings = settings;
        this.http = new PspHttp(CONNECT_TIMEOUT, settings.callTimeout());
    }

    @Override
    public String psp() {
        return settings.name();
    }

    /** Paper remembers a key for two days; a day is our margin. */
    @Override
    public Duration keyLife() {
        return Duration.ofDays(1);
    }

    @Override
    public Duration callBudget() {
        return settings.callTimeout().multipliedBy(2);
    }

    /** A query makes an unknown key void, which moves no money. */
    @Override
    public boolean statusQueryMayExecute() {
        return false;
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return Optional.of(this);
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        PspToken token = operation.tokenAt(psp());
        var body = money(operation.accepted().request().money());
        body.put("card", token.method());
        token.customer().ifPresent(drawer -> body.put("drawer", drawer));
        body.put("payment", operation.accepted().payment().value());
        return form(body);
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        var body = money(refund.accepted().request().money());
        body.put("capture", capture.reference());
        return form(body);
    }

    @Override
    public Outcome charge(Charge charge) {
        return send("/payments", charge.key(), charge.lease(), charge.request(), charge.money());
    }

    @Override
    public Outcome refund(Refund refund) {
        return send("/refunds", refund.key(), refund.lease(), refund.request(), refund.money());
    }

    @Override
    public Outcome findOut(Charge charge) {
        return query(charge.key(), charge.money(), charge.pspReference());
    }

    @Override
    public Outcome findOut(Refund refund) {
        return query(refund.key(), refund.money(), refund.pspReference());
    }

    private Outcome send(String path, PspKey key, Lease lease, byte[] body, Money money) {
        if (lease.hasEnded()) {
            return Lease.notSent();
        }
        try {
            HttpResponse<String> answer = post(path, key, body);
            return switch (answer.statusCode()) {
                case 200 -> read(answer.body(), money, Optional.empty());
                case 400, 422 -> new Outcome.Failed(FailureCause.REQUEST_REFUSED, "Paper refused the request: " + answer.body());
                case 401, 403 -> new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, "Paper refused the key");
                case 429 -> new Outcome.Failed(FailureCause.RATE_LIMITED, "Paper takes no more requests for now",
                        RetryAfterHeader.in(answer.headers().map()));
                default -> unknown(UnknownCause.PSP_ERROR, "Paper answered " + answer.statusCode(), Optional.empty());
            };
        } catch (IOException e) {
            return WireFailure.notSent(e).<Outcome>map(cause -> new Outcome.Failed(cause, PspHttp.words("Paper", e)))
                    .orElseGet(() -> unknown(WireFailure.unknown(e), PspHttp.words("Paper", e), Optional.empty()));
        }
    }

    /** A query that fails says nothing about the money, whatever its status. */
    private Outcome query(PspKey key, Money money, Optional<String> reference) {
        try {
            HttpResponse<String> answer = post("/keys/" + key.value() + "/outcome", key, new byte[0]);
            return answer.statusCode() == 200 ? read(answer.body(), money, reference)
                    : unknown(UnknownCause.PSP_ERROR, "Paper answered the query with " + answer.statusCode(), reference);
        } catch (IOException e) {
            return unknown(WireFailure.unknown(e), PspHttp.words("Paper", e), reference);
        }
    }

    private HttpResponse<String> post(String path, PspKey key, byte[] body) throws IOException {
        return http.exchange(HttpRequest.newBuilder(URI.create(settings.apiBase() + path))
                .header("Authorization", "Bearer " + settings.apiKey().get())
                .header("Idempotency-Key", key.value())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build());
    }

    private static Outcome read(String body, Money money, Optional<String> reference) {
        Map<String, String> said = fields(body);
        Optional<String> id = Optional.ofNullable(said.get("id")).or(() -> reference);
        String state = said.getOrDefault("state", "");
        if (state.equals("void")) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "Paper has not executed it, and never will");
        }
        OptionalLong expected = PaperProvider.RULES.units().of(money);
        if (expected.isEmpty() || !String.valueOf(expected.getAsLong()).equals(said.get("amount"))
                || !money.currency().equals(said.get("currency"))) {
            return unknown(UnknownCause.ANSWER_MISMATCH,
                    "Paper's answer is about %s %s".formatted(said.get("amount"), said.get("currency")), id);
        }
        return switch (state) {
            case "done" -> id.<Outcome>map(Outcome.Charged::new)
                    .orElseGet(() -> unknown(UnknownCause.ANSWER_UNREADABLE, "Paper's answer has no id", reference));
            case "declined" -> new Outcome.Declined(said.getOrDefault("reason", "generic_decline"), "Paper declined it", id);
            default -> unknown(UnknownCause.ANSWER_UNREADABLE, "Paper's answer has the state '%s'".formatted(state), id);
        };
    }

    private static Outcome unknown(UnknownCause cause, String detail, Optional<String> reference) {
        return new Outcome.Unknown(cause, detail, reference);
    }

    /** Routing sends no amount here that Paper has no unit for. */
    private static Map<String, String> money(Money money) {
        var body = new HashMap<String, String>();
        body.put("amount", String.valueOf(PaperProvider.RULES.units().of(money).orElseThrow()));
        body.put("currency", money.currency());
        return body;
    }

    private static byte[] form(Map<String, String> fields) {
        var text = new StringBuilder();
        fields.forEach((name, value) -> text.append(text.isEmpty() ? "" : "&").append(name).append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> fields(String form) {
        var fields = new HashMap<String, String>();
        for (String field : form.split("&")) {
            String[] parts = field.split("=", 2);
            fields.put(parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return fields;
    }
}
