// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.PspObjects;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All intents, charges, refunds and disputes, and the events that are still to be delivered. Any thread may read. */
final class StripeObjects implements PspObjects<StripeChange> {
    private final Map<String, PaymentIntent> intents = new ConcurrentHashMap<>();
    private final Map<String, StripeCharge> charges = new ConcurrentHashMap<>();
    private final Map<String, StripeRefund> refunds = new ConcurrentHashMap<>();
    private final Map<String, StripeDispute> disputes = new ConcurrentHashMap<>();
    private final List<String> intentOrder = new ArrayList<>();
    private final List<String> chargeOrder = new ArrayList<>();
    private final List<String> refundOrder = new ArrayList<>();
    private final List<String> disputeOrder = new ArrayList<>();
    private final Map<String, StripeWebhooks.Event> undelivered = new LinkedHashMap<>();
    private final Set<String> usedUp = ConcurrentHashMap.newKeySet();
    private final boolean notifies;

    /** @param notifies whether there is a receiver of events; without one they are not kept */
    StripeObjects(boolean notifies) {
        this.notifies = notifies;
    }

    @Override
    public synchronized void apply(StripeChange change) {
        change.intent().ifPresent(intent -> put(intents, intentOrder, intent.id(), intent));
        change.charge().ifPresent(charge -> {
            put(charges, chargeOrder, charge.id(), charge);
            if (TestCards.isForOnce(charge.paymentMethod())) {
                usedUp.add(charge.paymentMethod());
            }
        });
        change.refund().ifPresent(refund -> put(refunds, refundOrder, refund.id(), refund));
        change.dispute().ifPresent(dispute -> put(disputes, disputeOrder, dispute.id(), dispute));
        change.event().filter(event -> notifies).ifPresent(event -> undelivered.put(event.id(), event));
        change.delivered().ifPresent(undelivered::remove);
    }

    private static <T> void put(Map<String, T> objects, List<String> order, String id, T object) {
        if (objects.put(id, object) == null) {
            order.add(id);
        }
    }

    Optional<PaymentIntent> intent(String id) {
        return Optional.ofNullable(intents.get(id));
    }

    Optional<StripeCharge> charge(String id) {
        return Optional.ofNullable(charges.get(id));
    }

    /** Whether a card that is saved at no customer was charged before, successfully or not. */
    boolean isUsedUp(String card) {
        return usedUp.contains(card);
    }

    Optional<StripeDispute> dispute(String id) {
        return Optional.ofNullable(disputes.get(id));
    }

    /** Of the charge of an intent. */
    Optional<StripeDispute> disputeOf(String intent) {
        return disputes.values().stream().filter(dispute -> dispute.paymentIntent().equals(intent)).findFirst();
    }

    /** Oldest first. */
    synchronized List<StripeDispute> disputes() {
        return disputeOrder.stream().map(disputes::get).toList();
    }

    synchronized List<StripeWebhooks.Event> undelivered() {
        return List.copyOf(undelivered.values());
    }

    Optional<StripeRefund> refund(String id) {
        return Optional.ofNullable(refunds.get(id));
    }

    /** Up to {@code limit} + 1 intents, the newest first, so that the caller sees whether there are more. */
    List<PaymentIntent> newestIntents(Optional<String> after, int limit, Predicate<PaymentIntent> wanted) {
        return newest(intentOrder, intents, after, limit, wanted);
    }

    List<StripeCharge> newestCharges(Optional<String> after, int limit, Predicate<StripeCharge> wanted) {
        return newest(chargeOrder, charges, after, limit, wanted);
    }

    List<StripeRefund> newestRefunds(Optional<String> after, int limit, Predicate<StripeRefund> wanted) {
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
    public Stream<String> statuses() {
        return intents.values().stream().map(intent -> intent.status().text());
    }

    @Override
    public synchronized void clear() {
        List.of(intents, charges, refunds, disputes, undelivered).forEach(Map::clear);
        List.of(intentOrder, chargeOrder, refundOrder, disputeOrder).forEach(List::clear);
        usedUp.clear();
    }
}
