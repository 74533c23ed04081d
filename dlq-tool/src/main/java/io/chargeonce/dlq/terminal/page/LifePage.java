// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A payment's life for a person: one line for each thing that happened, with the time since the one before. */
public final class LifePage {

    private LifePage() {}

    public static void print(Life life, Screen screen) {
        screen.print("%s", screen.bold(Printable.of(life.id())));
        life.operation().ifPresent(operation -> {
            screen.say(now(operation, life.counted()));
            next(operation).ifPresent(words -> screen.say(words));
        });
        life.letter().ifPresent(letter -> screen.say(now(letter)));
        life.disputes().forEach(dispute -> screen.say(Printable.of("Now: " + dispute)));
        life.holds().forEach(hold -> screen.say(Words.of(hold) + "."));
        screen.print("");
        Instant before = life.moments().getFirst().at();
        for (RepeatedParks.Line line : RepeatedParks.lines(life.moments())) {
            boolean ahead = line.at().isAfter(life.readAt());
            screen.labelled("%s %8s  ".formatted(line.at().truncatedTo(ChronoUnit.MILLIS), since(Duration.between(before, line.at()))),
                    (ahead ? "still to come: " : "") + line.text());
            before = line.at();
        }
    }

    private static String now(Operation operation, int countedAttempts) {
        var accepted = operation.accepted();
        String counted = operation.sequence() == 0 ? ""
                : ", %d counted%s".formatted(countedAttempts, operation.generation() > 1 ? " since the last merge" : "");
        String method = PaymentMethodId.parse(accepted.request().paymentMethod()).map(stored -> " by " + stored).orElse("");
        return "%s of %s%s, now %s%s, generation %d, %d attempt%s%s".formatted(accepted.request().money(), accepted.merchant(), method,
                operation.state().tag(), operation.isCanceling() ? " and to be canceled" : "", operation.generation(), operation.sequence(),
                operation.sequence() == 1 ? "" : "s", counted);
    }

    /** What is due next, and when. */
    private static Optional<String> next(Operation operation) {
        return switch (operation.state()) {
            case SCHEDULED, PARKED -> Optional.of(nextClaim(operation)
                    .formatted(Words.time(operation.representAt().orElseGet(operation::notBefore))));
            case UNRESOLVED, PROCESSING, PURGED -> operation.resolveAt().map(at -> "Next status query to %s: due at %s."
                    .formatted(operation.psp().orElse("its PSP"), Words.time(at)));
            case ACCEPTED, SUCCEEDED, FAILED, DECLINED, DEAD, CANCELED -> Optional.empty();
        };
    }

    private static String nextClaim(Operation operation) {
        if (operation.isCanceling()) {
            return "Due at %s: it is canceled unless a PSP has an attempt of it.";
        }
        if (operation.endsByDecline()) {
            return "Due at %s: it was declined, and ends so unless a PSP has another attempt of it.";
        }
        return operation.representAt().isPresent() ? "Presented again at %s." : "Next try: due at %s.";
    }

    private static String now(DeadLetterView letter) {
        return letter.state().equals("dead")
                ? "In the dead-letter queue for %s: %s.".formatted(Ages.brief(letter.age()), Words.of(letter.standing()))
                : "Left the dead-letter queue: %s.".formatted(letter.state());
    }

    /** Short gaps matter here, so they are shown to the millisecond. */
    private static String since(Duration gap) {
        if (gap.isZero()) {
            return "";
        }
        return gap.toSeconds() < 10 ? "+%d.%03ds".formatted(gap.toSeconds(), gap.toMillisPart()) : "+" + Ages.brief(gap);
    }
}
