package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;

/** The faults that happen around an execution: pauses, refusals at the door, and answers that do not arrive. */
final class FaultyWire {
    private FaultyWire() {}

    /** What the request meets instead of being executed, if anything. May pause first. */
    static Optional<HttpAnswer> before(Optional<Fault> fault, HttpRequest request, String requestId) {
        if (fault.isEmpty() || !(fault.get() instanceof Fault.OnTheWire onTheWire)) {
            return Optional.empty();
        }
        return switch (onTheWire) {
            case Fault.Reset() -> Optional.of(new HttpAnswer.Reset());
            case Fault.RateLimited(int seconds) -> Optional.of(rateLimited(request, requestId, seconds));
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
            case Fault.SlowBefore ignored -> answer;
        };
    }

    private static HttpAnswer rateLimited(HttpRequest request, String requestId, int seconds) {
        ApiError error = ApiError.invalidRequest(429, "Request rate limit exceeded. Learn more about rate limits here "
                + "https://stripe.com/docs/rate-limits.").code("rate_limit");
        return Headers.answer(request, requestId, Answer.error(error, Optional.empty()))
                .with("Retry-After", Integer.toString(seconds));
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
