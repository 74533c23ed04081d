// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.Optional;

/**
 * Executes a call: works out answer and change, commits both in one journal line, and only then returns the answer. Calls about
 * one payment are executed one after another. Any thread.
 */
final class ExecuteCalls<K extends SandboxCall<K>, C extends PspChange, A extends PspAnswer> {
    private final PspApi<K, C, A> api;
    private final PspLedger<C, A> ledger;
    private final LockStripes locks;

    ExecuteCalls(PspApi<K, C, A> api, PspLedger<C, A> ledger, LockStripes locks) {
        this.api = api;
        this.ledger = ledger;
        this.locks = locks;
    }

    /** Throws {@link PspRefusal} if the call is refused before it is executed; then nothing was committed. */
    A execute(K call, Optional<Fault> fault, Optional<String> requestId) {
        return api.paymentToLock(call).map(payment -> locks.locked(payment, () -> commit(call, fault, requestId)))
                .orElseGet(() -> commit(call, fault, requestId));
    }

    private A commit(K call, Optional<Fault> fault, Optional<String> requestId) {
        boolean broken = fault.isPresent() && fault.get() instanceof Fault.FailBefore;
        Executed<C, A> executed = broken ? Executed.nothingBut(api.broken()) : api.execute(call);
        A answer = altered(executed.answer(), fault);
        var logged = new LoggedRequest(call.at(), call.method(), call.path(), call.key(), answer.status(),
                LoggedRequest.Handling.EXECUTED, fault.map(Fault::text));
        Optional<Keys.FrozenAnswer<A>> frozen = call.key()
                .map(key -> new Keys.FrozenAnswer<>(key, call.fingerprint(), call.at(), requestId, answer));
        ledger.commit(new PspLedger.Line<>(Optional.of(logged), executed.change(), frozen));
        return answer;
    }

    private A altered(A answer, Optional<Fault> fault) {
        if (fault.isPresent() && fault.get() instanceof Fault.FailAfter) {
            return api.broken();
        }
        if (fault.isPresent() && fault.get() instanceof Fault.WrongAmount(long amount)) {
            return api.stating(answer, amount);
        }
        return answer;
    }
}
