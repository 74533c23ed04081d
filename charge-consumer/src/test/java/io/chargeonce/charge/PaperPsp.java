// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.payment.Money;
import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The third PSP: a ledger on paper, with keys, faults and outages, and no network. */
final class PaperPsp implements PspSimulator {

    enum Call implements Endpoint {
        PAY,
        FIND;

        @Override
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param state {@code captured}, {@code declined} or {@code void} */
    record Entry(int status, String state, long amount) {}

    private final Map<String, Entry> entries = new HashMap<>();
    private final List<FaultRule> rules = new ArrayList<>();
    private final List<Movement> movements = new ArrayList<>();
    private final List<LoggedRequest> requests = new ArrayList<>();
    private boolean refusing;
    private boolean down;

    synchronized Entry pay(String apiKey, String key, String payment, Money money, String card) throws IOException {
        requests.add(
                new LoggedRequest(Instant.now(), "POST", "/pay", Optional.of(key), 200, LoggedRequest.Handling.EXECUTED, Optional.empty()));
        Optional<Entry> refusal = refusal(apiKey);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Optional<Fault> fault = take(Call.PAY);
        return fault.isPresent() ? faulty(fault.get(), key, payment, money, card) : execute(key, payment, money, card);
    }

    private Entry faulty(Fault fault, String key, String payment, Money money, String card) throws IOException {
        return switch (fault) {
            case Fault.FailBefore f -> new Entry(500, "", 0);
            case Fault.TransientBefore f -> new Entry(500, "", 0);
            case Fault.RateLimited f -> new Entry(429, "", 0);
            case Fault.Refused f -> new Entry(f.status(), "", 0);
            case Fault.Reset f -> throw new IOException("reset");
            case Fault.FailAfter f -> new Entry(500, execute(key, payment, money, card).state(), 0);
            case Fault.TransientAfter f -> new Entry(500, execute(key, payment, money, card).state(), 0);
            case Fault.AnswerLost f -> throw new IOException("lost after " + execute(key, payment, money, card));
            case Fault.Truncated f -> throw new IOException("cut short after " + execute(key, payment, money, card));
            case Fault.SlowBefore f -> throw new HttpTimeoutException("late after " + execute(key, payment, money, card));
            case Fault.SlowAfter f -> throw new HttpTimeoutException("late after " + execute(key, payment, money, card));
            case Fault.WrongAmount f -> new Entry(200, execute(key, payment, money, card).state(), f.amount());
        };
    }

    private Entry execute(String key, String payment, Money money, String card) {
        return entries.computeIfAbsent(key, fresh -> {
            if (card.equals("paper_without_money")) {
                return new Entry(200, "declined", money.minorUnits());
            }
            movements.add(new Movement(Movement.Kind.CAPTURE, "mov-" + key, key, Optional.of(key), money.minorUnits(),
                    money.currency().toLowerCase(Locale.ROOT), Map.of("payment_id", payment), Instant.now(), Optional.of(key),
                    money.toString().split(" ")[0]));
            return new Entry(200, "captured", money.minorUnits());
        });
    }

    /** The outcome of this key. A key that never arrived is voided. */
    synchronized Entry findOrVoid(String apiKey, String key) throws IOException {
        Optional<Entry> refusal = refusal(apiKey);
        if (refusal.isEmpty() && take(Call.FIND).orElse(null) instanceof Fault.Refused refused) {
            return new Entry(refused.status(), "", 0);
        }
        return refusal.isPresent() ? refusal.get() : entries.computeIfAbsent(key, unknown -> new Entry(200, "void", 0));
    }

    private Optional<Fault> take(Call call) {
        Optional<FaultRule> rule = rules.stream().filter(one -> one.operation().filter(call::equals).isPresent()).findFirst();
        rule.filter(one -> one.times().isPresent()).ifPresent(rules::remove);
        return rule.map(FaultRule::fault);
    }

    private Optional<Entry> refusal(String apiKey) throws IOException {
        if (refusing) {
            throw new ConnectException("refused");
        }
        return !apiKey.equals("paper") ? Optional.of(new Entry(401, "", 0)) : down ? Optional.of(new Entry(503, "", 0)) : Optional.empty();
    }

    @Override
    public synchronized long inject(FaultRule rule) {
        rules.add(rule);
        return rules.size();
    }

    @Override
    public synchronized void removeRule(long id) {
        throw new UnsupportedOperationException("no test of the engine removes one rule");
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
    public Counts counts() {
        return Counts.of(entries.values().stream().map(Entry::state), movements(), requests.size(), entries.size());
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
    public synchronized void refuseConnections() {
        refusing = true;
    }

    @Override
    public synchronized void acceptConnections() {
        refusing = false;
    }

    @Override
    public void close() {}
}
