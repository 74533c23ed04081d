// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Idempotency keys. The first request with a key holds it until it is answered; then its answer is frozen for the key's
 * lifetime. After that, the key can be used like a new one. Any thread.
 */
public final class Keys<A> {
    /**
     * The first answer to a key, kept for the key's lifetime.
     *
     * @param fingerprint what a later request with the key must say too; empty where the PSP compares nothing
     * @param requestId   which request it answered, where the PSP shows that
     */
    public record FrozenAnswer<A>(String key, Optional<String> fingerprint, Instant at, Optional<String> requestId, A answer) {}

    /** What a request with a key meets. */
    sealed interface Found<A> {
        /** The key is new and now held by this request, which must freeze an answer or give the key up. */
        record Fresh<A>() implements Found<A> {}

        record Replay<A>(FrozenAnswer<A> answer) implements Found<A> {}

        record InUse<A>() implements Found<A> {}

        record OtherRequest<A>() implements Found<A> {}
    }

    private sealed interface State<A> {
        record Held<A>(Optional<String> fingerprint) implements State<A> {}

        record Answered<A>(FrozenAnswer<A> answer) implements State<A> {}
    }

    private final Map<String, State<A>> states = new ConcurrentHashMap<>();
    private final Duration lifetime;

    Keys(Duration lifetime) {
        this.lifetime = lifetime;
    }

    Found<A> begin(String key, Optional<String> fingerprint, Instant now) {
        State<A> held = new State.Held<>(fingerprint);
        while (true) {
            State<A> existing = states.putIfAbsent(key, held);
            if (existing == null) {
                return new Found.Fresh<>();
            }
            if (!expired(existing, now)) {
                return found(existing, fingerprint);
            }
            // Of several requests that find the same expired answer one takes the key; the others look again.
            if (states.replace(key, existing, held)) {
                return new Found.Fresh<>();
            }
        }
    }

    private boolean expired(State<A> state, Instant now) {
        return state instanceof State.Answered<A> answered && !now.isBefore(answered.answer().at().plus(lifetime));
    }

    private Found<A> found(State<A> state, Optional<String> fingerprint) {
        return switch (state) {
            case State.Held<A> held when held.fingerprint().equals(fingerprint) -> new Found.InUse<>();
            case State.Answered<A> answered when answered.answer().fingerprint().equals(fingerprint) ->
                new Found.Replay<>(answered.answer());
            case State.Held<A> ignored -> new Found.OtherRequest<>();
            case State.Answered<A> ignored -> new Found.OtherRequest<>();
        };
    }

    void freeze(FrozenAnswer<A> answer) {
        states.put(answer.key(), new State.Answered<>(answer));
    }

    /** The request that held the key was refused before it was executed. */
    void giveUp(String key) {
        states.remove(key);
    }

    int count() {
        return states.size();
    }

    void clear() {
        states.clear();
    }
}
