// SPDX-License-Identifier: Apache-2.0
package com.example.paper;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Paper, simulated: a ledger behind HTTP, with keys, faults and outages. It knows nothing of the gateway. Any thread. */
public final class PaperPsp implements PspSimulator {

    static final String API_KEY = "paper-key";
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US).withZone(ZoneOffset.UTC);

    enum Call implements Endpoint {
        PAY,
        REFUND,
        OUTCOME;

        @Override
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param state {@code done}, {@code declined} or {@code void} */
    private record Entry(String id, String state, long amount, String currency, String reason) {

        String form(long said) {
            return "id=%s&state=%s&amount=%d&currency=%s&reason=%s".formatted(id, state, said, currency, reason);
        }
    }

    private final Map<String, Entry> keys = new HashMap<>();
    private final Set<String> inUse = new HashSet<>();
    private final List<FaultRule> rules = new ArrayList<>();
    private final List<Movement> movements = new ArrayList<>();
    private final List<LoggedRequest> requests = new ArrayList<>();
    private final HttpListener listener = HttpListener.start("The simulator of Paper", 0, this::answer);
    private boolean down;

    public static PaperPsp start() {
        return new PaperPsp();
    }

    public String address() {
        return "http://127.0.0.1:" + listener.port();
    }

    private HttpAnswer answer(HttpRequest request) {
        String key = request.header("idempotency-key").orElse("");
        Map<String, String> body = fields(new String(request.body(), StandardCharsets.UTF_8));
        Call call = request.path().equals("/payments") ? Call.PAY : request.path().equals("/refunds") ? Call.REFUND : Call.OUTCOME;
        Optional<Fault> fault;
        synchronized (this) {
            requests.add(new LoggedRequest(Instant.now(), request.method(), request.path(), Optional.of(key), 200,
                    LoggedRequest.Handling.EXECUTED, Optional.empty()));
            if (!request.header("authorization").equals(Optional.of("Bearer " + API_KEY))) {
                return status(401, "no such key");
            }
            if (down) {
                return status(503, "down");
            }
            if (inUse.contains(key)) {
                return status(409, "the key is in use");
            }
            fault = take(call, body);
            if (fault.orElse(null) instanceof Fault.SlowBefore) {
                inUse.add(key);
            }
        }
        return fault.map(one -> faulty(one, call, key, body)).orElseGet(() -> status(200, execute(call, key, body)));
    }

    private HttpAnswer faulty(Fault fault, Call call, String key, Map<String, String> body) {
        return switch (fault) {
            case Fault.FailBefore before -> status(500, "failed");
            case Fault.RateLimited limited -> {
                Instant now = Instant.now();
                yield status(429, "wait").with("Date", DATE.format(now))
                        .with("Retry-After", DATE.format(now.plusSeconds(limited.retryAfterSeconds())));
            }
            case Fault.Refused refused -> status(refused.status(), "refused");
            case Fault.Reset reset -> new HttpAnswer.Reset();
            case Fault.FailAfter after -> after(call, key, body, status(500, "failed"));
            case Fault.AnswerLost lost -> after(call, key, body, new HttpAnswer.Closed());
            case Fault.Truncated truncated -> new HttpAnswer.Truncated(status(200, execute(call, key, body)));
            case Fault.WrongAmount wrong -> status(200, wrongAmount(call, key, body, wrong.amount()));
            case Fault.SlowAfter slow -> {
                HttpAnswer answer = status(200, execute(call, key, body));
                pause(slow.pause());
                yield answer;
            }
            case Fault.SlowBefore slow -> {
                pause(slow.pause());
                yield status(200, execute(call, key, body));
            }
            case Fault.Transient none -> throw new IllegalStateException("Bug! Paper has no such answers");
        };
    }

    private HttpAnswer after(Call call, String key, Map<String, String> body, HttpAnswer answer) {
        execute(call, key, body);
        return answer;
    }

    private synchronized String execute(Call call, String key, Map<String, String> body) {
        inUse.remove(key);
        Entry entry = keys.computeIfAbsent(key, fresh -> executed(call, key, body));
        return entry.form(entry.amount);
    }

    private synchronized String wrongAmount(Call call, String key, Map<String, String> body, long amount) {
        execute(call, key, body);
        return keys.get(key).form(amount);
    }

    private Entry executed(Call call, String key, Map<String, String> body) {
        String id = "paper-" + (keys.size() + 1);
        if (call == Call.OUTCOME) {
            return new Entry(id, "void", 0, "", "");
        }
        long amount = Long.parseLong(body.get("amount"));
        String currency = body.get("currency");
        switch (body.getOrDefault("card", "")) {
            case "card_without_money" -> {
                return new Entry(id, "declined", amount, currency, "insufficient_funds");
            }
            case "card_lost" -> {
                return new Entry(id, "declined", amount, currency, "lost_card");
            }
            default -> {}
        }
        movements.add(new Movement(call == Call.PAY ? Movement.Kind.CAPTURE : Movement.Kind.REFUND, "m-" + id,
                call == Call.PAY ? id : body.get("capture"), Optional.of(key), amount, Movement.currency(currency),
                Map.of("payment_id", body.getOrDefault("payment", "")), Instant.now(), Optional.of(key),
                BigDecimal.valueOf(amount, currency.equals("JPY") ? 0 : 2).toPlainString()));
        return new Entry(id, "done", amount, currency, "");
    }

    private Optional<Fault> take(Call call, Map<String, String> body) {
        for (FaultRule rule : rules) {
            String payment = body.getOrDefault("payment", "");
            boolean isMeant = rule.operation().map(call::equals).orElse(true)
                    && rule.metadata().getOrDefault("payment_id", payment).equals(payment);
            if (isMeant) {
                if (rule.times().isPresent()) {
                    rules.remove(rule);
                    if (rule.times().getAsInt() > 1) {
                        rules.add(rule.times(rule.times().getAsInt() - 1));
                    }
                }
                return Optional.of(rule.fault());
            }
        }
        return Optional.empty();
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static HttpAnswer.Full status(int status, String body) {
        return new HttpAnswer.Full(status, Map.of("Content-Type", "application/x-www-form-urlencoded"),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> fields(String form) {
        var fields = new HashMap<String, String>();
        for (String field : form.split("&")) {
            String[] parts = field.split("=", 2);
            fields.put(parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return fields;
    }

    @Override
    public synchronized long inject(FaultRule rule) {
        rules.add(rule);
        return rules.size();
    }

    @Override
    public synchronized void removeRule(long id) {
        throw new UnsupportedOperationException("no test removes one rule");
    }

    @Override
    public synchronized void removeRules() {
        rules.clear();
    }

    @Override
    public synchronized List<Movement> movements() {
        return List.copyOf(movements);
    }

    @Override
    public synchronized List<LoggedRequest> requests() {
        return List.copyOf(requests);
    }

    @Override
    public synchronized Counts counts() {
        return Counts.of(keys.values().stream().map(Entry::state), movements, requests.size(), keys.size());
    }

    @Override
    public synchronized void outage(Duration time) {
        down = true;
    }

    @Override
    public synchronized void endOutage() {
        down = false;
    }

    @Override
    public void refuseConnections() {
        listener.refuseConnections();
    }

    @Override
    public void acceptConnections() {
        listener.acceptConnections();
    }

    @Override
    public void close() {
        listener.close();
    }
}
