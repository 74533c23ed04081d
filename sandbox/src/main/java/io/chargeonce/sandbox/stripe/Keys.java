package io.chargeonce.sandbox.stripe;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Idempotency keys. The first request with a key holds it until it is answered; then its answer is frozen for the key's
 * lifetime, after which the key is as good as new. Any thread.
 */
final class Keys {
    /** What a request with a key meets. */
    sealed interface Found {
        /** The key is new and now held by this request, which must freeze an answer or give the key up. */
        record Fresh() implements Found {}

        record Replay(FrozenAnswer answer) implements Found {}

        record InUse() implements Found {}

        record OtherRequest() implements Found {}
    }

    private sealed interface State {
        record Held(String fingerprint) implements State {}

        record Answered(FrozenAnswer answer) implements State {}
    }

    private final Map<String, State> states = new ConcurrentHashMap<>();
    private final Duration lifetime;

    Keys(Duration lifetime) {
        this.lifetime = lifetime;
    }

    Found begin(String key, String fingerprint, Instant now) {
        State held = new State.Held(fingerprint);
        while (true) {
            State existing = states.putIfAbsent(key, held);
            if (existing == null) {
                return new Found.Fresh();
            }
            if (!expired(existing, now)) {
                return found(existing, fingerprint);
            }
            // Of several requests that find the same expired answer one takes the key; the others look again.
            if (states.replace(key, existing, held)) {
                return new Found.Fresh();
            }
        }
    }

    private boolean expired(State state, Instant now) {
        return state instanceof State.Answered(FrozenAnswer answer) && !now.isBefore(answer.at().plus(lifetime));
    }

    private static Found found(State state, String fingerprint) {
        return switch (state) {
            case State.Held(String first) when first.equals(fingerprint) -> new Found.InUse();
            case State.Answered(FrozenAnswer answer) when answer.fingerprint().equals(fingerprint) -> new Found.Replay(answer);
            case State.Held ignored -> new Found.OtherRequest();
            case State.Answered ignored -> new Found.OtherRequest();
        };
    }

    void freeze(FrozenAnswer answer) {
        states.put(answer.key(), new State.Answered(answer));
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
