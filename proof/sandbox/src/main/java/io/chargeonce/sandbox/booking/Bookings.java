// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.booking;

import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.Movement;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a PSP's settlement report says: all movements of the ledger, and what a test makes of them. Any thread. */
public final class Bookings {

    /** How a report lies about one movement. */
    public enum Lie {
        MISSING, TWICE, MORE, LESS, OTHER_CURRENCY
    }

    /**
     * One line of the report.
     *
     * @param repeat 0, or 1 for the second line about one movement
     */
    public record Booking(Movement movement, int repeat) {}

    private final PspLedger<?, ?> ledger;
    private final Map<String, Lie> lies = new ConcurrentHashMap<>();
    private final List<Movement> strangers = new CopyOnWriteArrayList<>();

    public Bookings(PspLedger<?, ?> ledger) {
        this.ledger = ledger;
    }

    /** @param movement the PSP's id of it */
    public void lie(String movement, Lie lie) {
        lies.put(movement, lie);
    }

    /** Books what no request moved. */
    public void stranger(String id, String payment, Optional<String> reference, long amount, String currency, String value, Instant at) {
        strangers.add(new Movement(Movement.Kind.CAPTURE, id, payment, reference, amount, currency, Map.of(), at, Optional.empty(), value));
    }

    public void tellTheTruth() {
        lies.clear();
        strangers.clear();
    }

    /** Oldest first. */
    public List<Booking> all() {
        var all = new ArrayList<Booking>();
        ledger.movements(0, Integer.MAX_VALUE).forEach(movement -> add(movement, all));
        strangers.forEach(movement -> all.add(new Booking(movement, 0)));
        return all;
    }

    private void add(Movement movement, List<Booking> all) {
        Lie lie = lies.get(movement.id());
        if (lie == null) {
            all.add(new Booking(movement, 0));
            return;
        }
        switch (lie) {
            case MISSING -> {
            }
            case TWICE -> all.addAll(List.of(new Booking(movement, 0), new Booking(movement, 1)));
            case MORE -> all.add(new Booking(with(movement, 1, movement.currency()), 0));
            case LESS -> all.add(new Booking(with(movement, -1, movement.currency()), 0));
            case OTHER_CURRENCY -> all.add(new Booking(with(movement, 0, movement.currency().equals("usd") ? "eur" : "usd"), 0));
        }
    }

    /** With so much more in the PSP's units, and as much more in the decimal number. */
    private static Movement with(Movement movement, int more, String currency) {
        String value = new BigDecimal(movement.value()).add(BigDecimal.valueOf(more, movement.value().contains(".")
                ? movement.value().length() - movement.value().indexOf('.') - 1 : 0)).toPlainString();
        return new Movement(movement.kind(), movement.id(), movement.payment(), movement.reference(), movement.amount() + more, currency,
                movement.metadata(), movement.at(), movement.idempotencyKey(), value);
    }
}
