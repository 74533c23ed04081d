package io.chargeonce.load.universe;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A PSP: its ledger, what it knows of each reference for ever, and which keys it remembers for a while. It outlives every
 * process and every fault. For who has the turn.
 */
final class Psp {

    /** What it made of a request. */
    enum State { CAPTURED, DECLINED, FAILED, VOID }

    /** How often each thing happens to a call, of one. The rest goes well. */
    record Faults(double notSent, double rateLimited, double lostBefore, double lostAfter, double late, double failsBefore,
                  double failsAfter, double refusesUnexecuted) {

        static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0, 0, 0);
    }

    private static final Duration LONGER_THAN_PROMISED = Duration.ofSeconds(15);
    private static final Duration LONGEST_LAG = Duration.ofMillis(1_500);
    private static final JsonMapper JSON = new JsonMapper();

    final String name;
    /** What it promises. It keeps keys longer, for no process can be sure to be awake between a look at its clock and a send. */
    final Duration keyLife;
    private final Map<String, State> byReference = new HashMap<>();
    private final Map<String, Long> forgottenAt = new HashMap<>();
    private final Map<String, Long> visibleAt = new HashMap<>();
    private final List<JsonNode> movements = new ArrayList<>();
    private final List<JsonNode> declines = new ArrayList<>();
    private Faults faults = Faults.NONE;
    private boolean down;

    Psp(String name, Duration keyLife) {
        this.name = name;
        this.keyLife = keyLife;
    }

    void faults(Faults chosen) {
        faults = chosen;
    }

    Faults faults() {
        return faults;
    }

    void down(boolean isDown) {
        down = isDown;
    }

    boolean isDown() {
        return down;
    }

    /** The same key gets the same answer while it is remembered; afterwards it is a request like any other. */
    State request(String kind, String key, PaymentId payment, Money money, String card) {
        long now = Kernel.it().now();
        if (forgottenAt.getOrDefault(key, 0L) > now) {
            return byReference.get(key);
        }
        if (byReference.get(key) == State.VOID) {
            return State.VOID;
        }
        remember(key);
        State state = card.contains("declined") ? State.DECLINED : State.CAPTURED;
        byReference.put(key, state);
        if (state == State.DECLINED) {
            declines.add(JSON.valueToTree(Map.of("status", 402, "fate", "executed", "idempotency_key", key)));
        }
        if (state == State.CAPTURED) {
            move(kind, key, payment, money);
        }
        return state;
    }

    /** It breaks before it does anything, and says so to whoever repeats the key. */
    void fail(String key) {
        if (byReference.putIfAbsent(key, State.FAILED) == null) {
            remember(key);
        }
    }

    private void remember(String key) {
        Kernel kernel = Kernel.it();
        forgottenAt.put(key, kernel.after(keyLife.plus(LONGER_THAN_PROMISED)));
        visibleAt.putIfAbsent(key, kernel.after(kernel.between(Duration.ZERO, LONGEST_LAG)));
    }

    /** By reference, a little behind what has happened. */
    Optional<State> find(String key) {
        return visibleAt.getOrDefault(key, 0L) > Kernel.it().now() ? Optional.empty() : truth(key);
    }

    Optional<State> truth(String key) {
        return Optional.ofNullable(byReference.get(key));
    }

    /** From now on nothing can happen under this key. */
    void cancel(String key) {
        if (byReference.get(key) != State.CAPTURED && byReference.get(key) != State.DECLINED) {
            byReference.put(key, State.VOID);
        }
    }

    private void move(String kind, String key, PaymentId payment, Money money) {
        Kernel kernel = Kernel.it();
        kernel.note(name + " " + kind + " " + payment);
        var movement = new LinkedHashMap<String, Object>();
        movement.put("kind", kind);
        movement.put("id", name + "-" + (movements.size() + 1));
        movement.put("idempotency_key", key);
        movement.put("amount", money.minorUnits());
        movement.put("currency", money.currency());
        movement.put("metadata", Map.of("payment_id", payment.value()));
        movement.put("at", kernel.truth().toString());
        movements.add(JSON.valueToTree(movement));
    }

    List<JsonNode> movements() {
        return movements;
    }

    /** The requests that it declined, as a ledger tells them. */
    List<JsonNode> declines() {
        return declines;
    }
}
