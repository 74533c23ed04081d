package io.chargeonce.ingest;

import io.chargeonce.payment.PaymentId;
import java.util.List;
import java.util.function.Function;

/** Answers one ask, whichever way it came: over HTTP, as a line of a batch, or from a topic. Any thread. */
final class AnswerAsk implements Function<Ask, Answer> {

    private final Function<Ask, Acceptance> accept;

    AnswerAsk(Function<Ask, Acceptance> accept) {
        this.accept = accept;
    }

    @Override
    public Answer apply(Ask ask) {
        return Guarded.answer(() -> switch (accept.apply(ask)) {
            case Acceptance.Accepted() -> ask.answer().first();
            case Acceptance.Replayed replay -> ask.answer().repeated(replay.now(), replay.firstAt(), ask.askedAt());
            case Acceptance.DuplicateSuspected(PaymentId first) -> Problems.duplicateSuspected(first).answer();
            case Acceptance.Reused(List<String> fields) -> Problems.keyReused(fields).answer();
            case Acceptance.InUse() -> Problems.keyInUse().answer();
        });
    }
}
