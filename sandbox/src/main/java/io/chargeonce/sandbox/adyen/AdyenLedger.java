// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.FileJournal;
import io.chargeonce.sandbox.psp.Journal;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.Ledger;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All payments and modifications, the keys, what is still to be notified, and the append-only ledger of requests and of money
 * moved. What is committed is in the journal first. Any thread may read; who changes a payment holds its lock.
 */
final class AdyenLedger implements Ledger, AutoCloseable {
    private final Map<String, Payment> payments = new LinkedHashMap<>();
    private final Map<String, String> latestByReference = new LinkedHashMap<>();
    private final Map<String, Modification> modifications = new LinkedHashMap<>();
    private final Map<String, Modification> open = new LinkedHashMap<>();
    private final Map<String, Notification> undelivered = new LinkedHashMap<>();
    private final List<Movement> movements = new ArrayList<>();
    private final List<LoggedRequest> requests = new ArrayList<>();
    private final Keys<FrozenAnswer> keys;
    private final boolean notifies;
    private final Journal<JournalLine> journal;

    /** @param notifies whether anybody will take the notifications; they are not kept otherwise */
    AdyenLedger(Keys<FrozenAnswer> keys, Optional<Path> directory, boolean notifies) {
        this.keys = keys;
        this.notifies = notifies;
        this.journal = directory.<Journal<JournalLine>>map(path -> FileJournal.open(path, "adyen", JournalLine.class, this::apply))
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
        line.request().ifPresent(requests::add);
        Change change = line.change();
        change.payment().ifPresent(payment -> {
            payments.put(payment.pspReference(), payment);
            latestByReference.put(payment.reference(), payment.pspReference());
        });
        change.modification().ifPresent(this::put);
        change.movement().ifPresent(movements::add);
        change.notification().filter(notification -> notifies)
                .ifPresent(notification -> undelivered.put(notification.id(), notification));
        change.delivered().ifPresent(undelivered::remove);
        line.frozen().ifPresent(keys::freeze);
    }

    private void put(Modification modification) {
        modifications.put(modification.pspReference(), modification);
        if (modification.result().isEmpty()) {
            open.put(modification.pspReference(), modification);
        } else {
            open.remove(modification.pspReference());
        }
    }

    synchronized Optional<Payment> payment(String pspReference) {
        return Optional.ofNullable(payments.get(pspReference));
    }

    /** The payment that a modification is about. */
    synchronized Optional<Payment> named(Modification modification) {
        String named = modification.payment();
        return payment(modification.operation() == Operation.CANCEL_BY_REFERENCE ? latestByReference.get(named) : named);
    }

    synchronized List<Modification> modifications() {
        return List.copyOf(modifications.values());
    }

    /** The modifications that have no result yet, oldest first. */
    synchronized List<Modification> open() {
        return List.copyOf(open.values());
    }

    synchronized boolean isOpen(Modification modification) {
        return open.containsKey(modification.pspReference());
    }

    synchronized List<Notification> undelivered() {
        return List.copyOf(undelivered.values());
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
        return Counts.of(payments.values().stream().map(Payment::resultCode), movements, requests.size(), keys.count());
    }

    @Override
    public synchronized void clear() {
        journal.erase();
        List.of(payments, latestByReference, modifications, open, undelivered).forEach(Map::clear);
        movements.clear();
        requests.clear();
        keys.clear();
    }

    @Override
    public synchronized void close() {
        journal.close();
    }
}
