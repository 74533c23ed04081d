// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.http.HttpAnswer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;

/** The faults that happen around an execution: pauses, refusals at the door, and answers that do not arrive. */
final class FaultyWire {
    private FaultyWire() {}

    /**
     * What the request meets instead of being executed, if anything. May pause first.
     *
     * @param refusal the PSP's way to refuse with this status
     */
    static Optional<HttpAnswer> before(Optional<Fault> fault, IntFunction<HttpAnswer.Full> refusal) {
        if (fault.isEmpty() || !(fault.get() instanceof Fault.OnTheWire onTheWire)) {
            return Optional.empty();
        }
        return switch (onTheWire) {
            case Fault.Reset() -> Optional.of(new HttpAnswer.Reset());
            case Fault.RateLimited(int seconds) -> Optional.of(refusal.apply(429).with("Retry-After", Integer.toString(seconds)));
            case Fault.Refused(int status) -> Optional.of(refusal.apply(status));
            case Fault.SlowBefore(Duration pause) -> {
                pause(pause);
                yield Optional.empty();
            }
            case Fault.AnswerLost ignored -> Optional.empty();
            case Fault.Truncated ignored -> Optional.empty();
            case Fault.SlowAfter ignored -> Optional.empty();
        };
    }

    /** What becomes of an answer on its way back. */
    static HttpAnswer after(Optional<Fault> fault, HttpAnswer.Full answer) {
        if (fault.isEmpty() || !(fault.get() instanceof Fault.OnTheWire onTheWire)) {
            return answer;
        }
        return switch (onTheWire) {
            case Fault.AnswerLost() -> new HttpAnswer.Closed();
            case Fault.Truncated() -> new HttpAnswer.Truncated(answer);
            case Fault.SlowAfter(Duration pause) -> {
                pause(pause);
                yield answer;
            }
            case Fault.Reset ignored -> answer;
            case Fault.RateLimited ignored -> answer;
            case Fault.Refused ignored -> answer;
            case Fault.SlowBefore ignored -> answer;
        };
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
