// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.FileJournal;
import io.chargeonce.sandbox.psp.Journal;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.Ledger;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * All intents, charges and refunds, the keys, and the append-only ledger of requests and of money moved. What is committed is
 * in the journal first. Any thread may read; who changes an intent holds its lock (see {@link LockStripes}).
 */
final class StripeLedger implements Ledger, AutoCloseable {
    private final Map<String, PaymentIntent> intents = new ConcurrentHashMap<>();
    private final Map<String, Charge> charges = new ConcurrentHashMap<>();
    private final Map<String, Refund> refunds = new ConcurrentHashMap<>();
    private final List<String> intentOrder = new ArrayList<>();
    private final List<String> chargeOrder = new ArrayList<>();
    private final List<String> refundOrder = new ArrayList<>();
    private final Set<String> usedUp = ConcurrentHashMap.newKeySet();
    private final List<Movement> movements = new ArrayList<>();
    private final List<LoggedRequest> requests = new ArrayList<>();
    private final Keys<FrozenAnswer> keys;
    private final Journal<JournalLine> journal;

    StripeLedger(Keys<FrozenAnswer> keys, Optional<Path> directory) {
        this.keys = keys;
        this.journal = directory.<Journal<JournalLine>>map(path -> FileJournal.open(path, "stripe", JournalLine.class, this::apply))
                .orElseGet(Journal.InMemory::new);
    }

    void commit(JournalLine line) {
        byte[] encoded = journal.encode(line);
        synchronized (this) {
            journal.append(encoded);
            apply(line);
        }
    }

    private synchronized void apply(JournalLine line) {
        requests.add(line.request());
        Change change = line.change();
        change.intent().ifPresent(intent -> put(intents, intentOrder, intent.id(), intent));
        change.charge().ifPresent(charge -> {
            put(charges, chargeOrder, charge.id(), charge);
            if (TestCards.isForOnce(charge.paymentMethod())) {
                usedUp.add(charge.paymentMethod());
            }
        });
        change.refund().ifPresent(refund -> put(refunds, refundOrder, refund.id(), refund));
        change.movement().ifPresent(movements::add);
        line.frozen().ifPresent(keys::freeze);
    }

    private static <T> void put(Map<String, T> objects, List<String> order, String id, T object) {
        if (objects.put(id, object) == null) {
            order.add(id);
        }
    }

    Optional<PaymentIntent> intent(String id) {
        return Optional.ofNullable(intents.get(id));
    }

    Optional<Charge> charge(String id) {
        return Optional.ofNullable(charges.get(id));
    }

    /** Whether a card that is saved nowhere was charged, with whatever result. */
    boolean isUsedUp(String card) {
        return usedUp.contains(card);
    }

    Optional<Refund> refund(String id) {
        return Optional.ofNullable(refunds.get(id));
    }

    /** Up to {@code limit} + 1 intents, the newest first, so that the caller sees whether there are more. */
    List<PaymentIntent> newestIntents(Optional<String> after, int limit, Predicate<PaymentIntent> wanted) {
        return newest(intentOrder, intents, after, limit, wanted);
    }

    List<Charge> newestCharges(Optional<String> after, int limit, Predicate<Charge> wanted) {
        return newest(chargeOrder, charges, after, limit, wanted);
    }

    List<Refund> newestRefunds(Optional<String> after, int limit, Predicate<Refund> wanted) {
        return newest(refundOrder, refunds, after, limit, wanted);
    }

    private synchronized <T> List<T> newest(List<String> order, Map<String, T> objects, Optional<String> after, int limit,
                                            Predicate<T> wanted) {
        List<T> found = new ArrayList<>();
        int start = after.map(order::lastIndexOf).orElse(order.size()) - 1;
        for (int i = start; i >= 0 && found.size() <= limit; i--) {
            T object = objects.get(order.get(i));
            if (wanted.test(object)) {
                found.add(object);
            }
        }
        return found;
    }

    @Override
    public synchronized List<Movement> movements(int from, int limit) {
        return Ledger.page(movements, from, limit);
    }

    @Override
    public synchronized List<LoggedRequest> requests(int from, int limit) {
        return Ledger.page(requests, from, limit);
    }

    @Override
    public synchronized Counts counts() {
        return Counts.of(intents.values().stream().map(intent -> intent.status().text()), movements, requests.size(), keys.count());
    }

    @Override
    public synchronized void clear() {
        journal.erase();
        intents.clear();
        charges.clear();
        refunds.clear();
        usedUp.clear();
        List.of(intentOrder, chargeOrder, refundOrder, movements, requests).forEach(List::clear);
        keys.clear();
    }

    @Override
    public synchronized void close() {
        journal.close();
    }
}
