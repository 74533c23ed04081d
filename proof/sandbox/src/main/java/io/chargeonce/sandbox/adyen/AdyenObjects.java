// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.PspObjects;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** All payments, modifications and disputes, and the notifications that are still to be delivered. Any thread may read. */
final class AdyenObjects implements PspObjects<AdyenChange> {
    private final Map<String, AdyenPayment> payments = new LinkedHashMap<>();
    private final Map<String, String> latestByReference = new LinkedHashMap<>();
    private final Map<String, Modification> modifications = new LinkedHashMap<>();
    private final Map<String, Modification> open = new LinkedHashMap<>();
    private final Map<String, AdyenDispute> disputes = new LinkedHashMap<>();
    private final Map<String, Notification> undelivered = new LinkedHashMap<>();
    private final boolean notifies;

    /** @param notifies whether there is a receiver of notifications; without one they are not kept */
    AdyenObjects(boolean notifies) {
        this.notifies = notifies;
    }

    @Override
    public synchronized void apply(AdyenChange change) {
        change.payment().ifPresent(payment -> {
            payments.put(payment.pspReference(), payment);
            latestByReference.put(payment.reference(), payment.pspReference());
        });
        change.modification().ifPresent(this::put);
        change.dispute().ifPresent(dispute -> disputes.put(dispute.payment(), dispute));
        change.notification().filter(notification -> notifies)
                .ifPresent(notification -> undelivered.put(notification.id(), notification));
        change.delivered().ifPresent(undelivered::remove);
    }

    private void put(Modification modification) {
        modifications.put(modification.pspReference(), modification);
        if (modification.result().isEmpty()) {
            open.put(modification.pspReference(), modification);
        } else {
            open.remove(modification.pspReference());
        }
    }

    synchronized Optional<AdyenPayment> payment(String pspReference) {
        return Optional.ofNullable(payments.get(pspReference));
    }

    /** The payment that a modification is about. */
    synchronized Optional<AdyenPayment> named(Modification modification) {
        String named = modification.payment();
        return payment(modification.operation() == AdyenOperation.CANCEL_BY_REFERENCE ? latestByReference.get(named) : named);
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

    synchronized Optional<AdyenDispute> disputeOf(String payment) {
        return Optional.ofNullable(disputes.get(payment));
    }

    /** Oldest first. */
    synchronized List<AdyenDispute> disputes() {
        return List.copyOf(disputes.values());
    }

    synchronized List<Notification> undelivered() {
        return List.copyOf(undelivered.values());
    }

    @Override
    public synchronized Stream<String> statuses() {
        return List.copyOf(payments.values()).stream().map(AdyenPayment::resultCode);
    }

    @Override
    public synchronized void clear() {
        List.of(payments, latestByReference, modifications, open, disputes, undelivered).forEach(Map::clear);
    }
}
