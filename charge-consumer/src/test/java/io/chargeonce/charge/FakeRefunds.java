// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** The part of {@link FakePsp} that gives money back: once per key. Answers are scripted; without a script they are honest. */
final class FakeRefunds implements RefundGateway {

    private final Map<PspKey, Outcome> decided = new HashMap<>();
    private final Queue<Outcome> script = new ArrayDeque<>();
    /** The refunds, in order. */
    final List<Refund> given = Collections.synchronizedList(new ArrayList<>());
    final List<Refund> calls = Collections.synchronizedList(new ArrayList<>());
    volatile boolean executesBeforeItFails = true;
    volatile boolean answersStatusQueries = true;
    /** Whether its fence is the refund itself, as at Stripe. */
    volatile boolean fenceSends = false;
    /** What it says to every status query, if anything is set. */
    volatile Optional<Outcome> answer = Optional.empty();

    synchronized FakeRefunds then(Outcome... answers) {
        script.addAll(List.of(answers));
        return this;
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        return ("give back " + refund.accepted().request().money() + " of " + capture.reference()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public synchronized Outcome refund(Refund refund) {
        calls.add(refund);
        if (script.isEmpty()) {
            return give(refund);
        }
        Outcome answer = script.poll();
        if (answer instanceof Outcome.Unknown && executesBeforeItFails) {
            give(refund);
        }
        return answer;
    }

    @Override
    public synchronized Outcome findOut(Refund refund) {
        if (answer.isPresent()) {
            return answer.get();
        }
        if (!answersStatusQueries) {
            return new Outcome.Unknown(UnknownCause.PSP_ERROR, "still down", Optional.empty());
        }
        return refund.mayBeSent() ? give(refund) : Optional.ofNullable(decided.get(refund.key()))
                .orElseGet(() -> new Outcome.Unknown(UnknownCause.NOT_FOUND, "no such refund", Optional.empty()));
    }

    @Override
    public boolean fenceMayExecute() {
        return fenceSends;
    }

    @Override
    public synchronized Outcome fence(Refund refund) {
        return fenceSends ? give(refund) : RefundGateway.super.fence(refund);
    }

    private Outcome give(Refund refund) {
        return decided.computeIfAbsent(refund.key(), key -> {
            given.add(refund);
            return new Outcome.Charged("refund-" + key);
        });
    }
}
