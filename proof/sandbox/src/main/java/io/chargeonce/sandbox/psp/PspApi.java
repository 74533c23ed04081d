// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What one PSP's API does and says in its own way. {@link AnswerRequests} does what all have in common: keys, faults, ledger. Any
 * thread.
 */
public interface PspApi<K extends SandboxCall<K>, C extends PspChange, A extends PspAnswer> {
    /**
     * Checks who calls and what the request asks for.
     *
     * @param outage whether the PSP is down; a caller without a valid key does not learn of it
     * @throws PspRefusal for a request that is answered without being executed
     */
    K read(HttpRequest request, Instant at, boolean outage);

    /** Another request with this key is not answered yet. */
    PspRefusal keyInUse(String key);

    /** The key came first with a request that said something else. */
    PspRefusal otherRequest(String key);

    /** How this PSP refuses with a status that a fault rule asks for. */
    A refused(int status);

    /** How this PSP says that it failed by itself, with a status of 500. */
    A broken();

    /** How this PSP says that it failed and that the same key may be sent again. Only Adyen has such answers. */
    default PspAnswer transientError() {
        throw new IllegalStateException("Bug! A fault that this PSP does not have");
    }

    /** The id of a payment that no two calls may change at once; empty where no other call can know of it yet. */
    Optional<String> paymentToLock(K call);

    /** The metadata by which a fault rule recognises the payment that a call is about. */
    Map<String, String> about(K call);

    /** Works out the answer and the change. Throws {@link PspRefusal} for what is refused before anything is executed. */
    Executed<C, A> execute(K call);

    /** The same answer with another amount, if it has one. */
    A stating(A answer, long amount);

    /** An id for one more request, where the PSP's answers show one. */
    default Optional<String> requestId() {
        return Optional.empty();
    }

    /** The first answer to a key as a later request with the key gets it. */
    default HttpAnswer.Full replay(Keys.FrozenAnswer<A> frozen, HttpRequest request, Optional<String> requestId) {
        return frozen.answer().to(request, requestId);
    }
}
