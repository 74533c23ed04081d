// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Which dead letters are meant. Every condition that is given must hold.
 *
 * @param ids       when given, only these
 * @param olderThan dead for at least so long
 * @param newerThan dead for less than that
 * @param since     died at this time or later
 * @param until     died before this time
 * @param text      occurs in the message (in any case), or is the id
 */
public record DeadLetterFilter(
        Optional<List<String>> ids,
        Optional<String> cause,
        Optional<String> psp,
        Optional<String> merchant,
        Optional<Duration> olderThan,
        Optional<Duration> newerThan,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<String> text,
        Optional<MoneyStatus> standing,
        PaymentCriteria traits) {

    public DeadLetterFilter {
        ids = ids.map(named -> named.stream().distinct().toList());
        if (ids.filter(List::isEmpty).isPresent()) {
            throw new IllegalArgumentException("Bug! A filter by ids names at least one");
        }
    }

    public static DeadLetterFilter everything() {
        return new DeadLetterFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                PaymentCriteria.ANY);
    }

    public static DeadLetterFilter ofIds(List<String> ids) {
        return new DeadLetterFilter(Optional.of(ids), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                PaymentCriteria.ANY);
    }

    public DeadLetterFilter standing(MoneyStatus only) {
        return new DeadLetterFilter(ids, cause, psp, merchant, olderThan, newerThan, since, until, text, Optional.of(only), traits);
    }

    public DeadLetterFilter traits(PaymentCriteria only) {
        return new DeadLetterFilter(ids, cause, psp, merchant, olderThan, newerThan, since, until, text, standing, only);
    }

    /** The conditions that are given, by name, for people. */
    public Map<String, String> given() {
        var given = new TreeMap<String, String>();
        BiConsumer<String, Optional<?>> add = (name, value) -> value.ifPresent(present -> given.put(name, present.toString()));
        add.accept("ids", ids);
        add.accept("cause", cause);
        add.accept("psp", psp);
        add.accept("merchant", merchant);
        add.accept("older_than", olderThan);
        add.accept("newer_than", newerThan);
        add.accept("since", since);
        add.accept("until", until);
        add.accept("text", text);
        add.accept("standing", standing.map(MoneyStatus::tag));
        add.accept("currency", traits.currency());
        add.accept("min_amount", traits.atLeast());
        add.accept("max_amount", traits.atMost());
        add.accept("tier", traits.tier());
        add.accept("generation", traits.generation());
        add.accept("run", traits.run());
        add.accept("died_again", Optional.of(true).filter(again -> traits.diedAgain()));
        add.accept("key", traits.names().key());
        add.accept("reference", traits.names().reference());
        // This goes into the audit log, from which nothing personal can be erased.
        add.accept("customer", traits.names().customer().map(Mask::all));
        add.accept("psp_reference", traits.names().pspReference());
        return given;
    }

    /** Those of them that a person writes freely, so that they may hold anything. */
    public Map<String, String> freeTexts() {
        Map<String, String> free = given();
        free.keySet().retainAll(Set.of("text", "key", "reference", "psp_reference"));
        return free;
    }

    /** Whether it means what a person stopped on purpose, which is merged only when it is named so. */
    public boolean namesStopped() {
        return ids.isPresent() || cause.equals(Optional.of(DeadLetterQuery.STOPPED));
    }

    public boolean isEverything() {
        return equals(everything());
    }
}
