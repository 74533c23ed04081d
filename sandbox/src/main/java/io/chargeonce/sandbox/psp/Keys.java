// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Idempotency keys. The first request with a key holds it until it is answered; then its answer is frozen for the key's
 * lifetime, after which the key is as good as new. Any thread.
 */
public final class Keys<A extends Keys.FirstAnswer> {
    /** The first answer to a key. */
    public interface FirstAnswer {
        String key();

        /** What the request said, in so far as a later one with the same key must say the same. */
        String fingerprint();

        Instant at();
    }

    /** What a request with a key meets. */
    public sealed interface Found<A> {
        /** The key is new and now held by this request, which must freeze an answer or give the key up. */
        record Fresh<A>() implements Found<A> {}

        record Replay<A>(A answer) implements Found<A> {}

        record InUse<A>() implements Found<A> {}

        record OtherRequest<A>() implements Found<A> {}
    }

    private sealed interface State<A> {
        record Held<A>(String fingerprint) implements State<A> {}

        record Answered<A>(A answer) implements State<A> {}
    }

    private final Map<String, State<A>> states = new ConcurrentHashMap<>();
    private final Duration lifetime;

    public Keys(Duration lifetime) {
        this.lifetime = lifetime;
    }

    public Found<A> begin(String key, String fingerprint, Instant now) {
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

    private Found<A> found(State<A> state, String fingerprint) {
        return switch (state) {
            case State.Held<A> held when held.fingerprint().equals(fingerprint) -> new Found.InUse<>();
            case State.Answered<A> answered when answered.answer().fingerprint().equals(fingerprint) ->
                new Found.Replay<>(answered.answer());
            case State.Held<A> ignored -> new Found.OtherRequest<>();
            case State.Answered<A> ignored -> new Found.OtherRequest<>();
        };
    }

    public void freeze(A answer) {
        states.put(answer.key(), new State.Answered<>(answer));
    }

    /** The request that held the key was refused before it was executed. */
    public void giveUp(String key) {
        states.remove(key);
    }

    public int count() {
        return states.size();
    }

    public void clear() {
        states.clear();
    }
}
