// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.LoggedRequest;
import java.util.Map;
import java.util.Optional;

/** Executes a call: works out answer and change, commits both in one journal line, and only then returns the answer. Any thread. */
final class Execution {
    private final AdyenLedger books;
    private final LockStripes locks;
    private final PaymentEndpoint payments;
    private final ModificationEndpoints modifications;

    Execution(AdyenLedger books, LockStripes locks, PaymentEndpoint payments, ModificationEndpoints modifications) {
        this.books = books;
        this.locks = locks;
        this.payments = payments;
        this.modifications = modifications;
    }

    /** The answer as it is frozen under the call's key. */
    Answer execute(Call call, Optional<Fault> fault) {
        // A new payment is known to nobody else, so only a call that names one waits for others about it.
        return call.target().isEmpty() ? executeAlone(call, fault)
                : locks.locked(call.target(), () -> executeAlone(call, fault));
    }

    private Answer executeAlone(Call call, Optional<Fault> fault) {
        Executed executed = fault.isPresent() && fault.get() instanceof Fault.FailBefore
                ? Executed.nothingBut(Refusal.BROKEN.answer()) : perform(call);
        Answer answer = altered(executed.answer(), fault);
        LoggedRequest logged = new LoggedRequest(call.at(), "POST", call.path(), call.key(), answer.status(),
                LoggedRequest.Handling.EXECUTED, fault.map(Fault::text));
        Optional<FrozenAnswer> frozen = call.key().map(key -> new FrozenAnswer(key, call.at(), answer));
        books.commit(new JournalLine(Optional.of(logged), executed.change(), frozen));
        return answer;
    }

    private Executed perform(Call call) {
        try {
            return switch (call.operation()) {
                case PAYMENT -> payments.pay(call);
                case CANCEL, CANCEL_BY_REFERENCE, REVERSAL, REFUND -> modifications.receive(call);
            };
        } catch (Refusal refusal) {
            return Executed.nothingBut(refusal.answer());
        }
    }

    private static Answer altered(Answer answer, Optional<Fault> fault) {
        if (fault.isPresent() && fault.get() instanceof Fault.FailAfter) {
            return Refusal.BROKEN.answer();
        }
        if (fault.isPresent() && fault.get() instanceof Fault.WrongAmount wrong) {
            return answer.stating(wrong.amount());
        }
        return answer;
    }

    /** The metadata by which a fault rule recognises the payment that a call is about. */
    Map<String, String> about(Call call) {
        return switch (call.operation()) {
            case PAYMENT -> call.metadata();
            case CANCEL, REVERSAL, REFUND -> books.payment(call.target()).map(Payment::metadata).orElse(Map.of());
            case CANCEL_BY_REFERENCE -> Map.of();
        };
    }
}
