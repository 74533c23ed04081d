// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.dlq.terminal.screen.Bytes;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import java.util.Optional;

/** One dead letter for a person: what it is, what was tried, what it says, who did what with it. */
public final class StoryPage {

    private final Screen screen;

    private StoryPage(Screen screen) {
        this.screen = screen;
    }

    public static void print(Story story, Screen screen) {
        var page = new StoryPage(screen);
        page.letter(story.letter());
        story.operation().ifPresent(operation -> {
            page.operation(operation, story.reference());
            page.attempts(story);
        });
        story.source().ifPresent(page::source);
        story.edited().ifPresent(edited -> page.bytes("edited", Optional.of(edited)));
        page.audit(story);
    }

    private void letter(DeadLetterView letter) {
        screen.print("%s", screen.bold(letter.id()));
        field("cause", letter.cause());
        field("message", letter.message());
        boolean isDead = letter.state().equals("dead");
        field("state", isDead ? "in the dead-letter queue for " + Ages.brief(letter.age()) + ", since " + Words.time(letter.diedAt())
                : "left the queue, " + letter.state() + " at " + Words.time(letter.changedAt()));
        if (isDead) {
            field("a merge", switch (letter.standing()) {
                case RECHARGEABLE -> "sends it through the pipeline again: nothing was charged";
                case PAST_DEADLINE ->
                    "sends it through the pipeline again with a new deadline, for its own has passed: nothing was charged";
                case NEEDS_A_PERSON ->
                    "leaves it: it was merged %d times and died each time, so find out why, then name it with --even-capped"
                            .formatted(letter.generation() - 1);
                case STOPPED -> "takes it only by its id or with --cause stopped: a person stopped it on purpose, and nothing was charged";
                case CHARGED -> "has the resolver settle it: the money was taken" + letter.evidence().map(" as "::concat).orElse("");
                case UNRESOLVED -> "has the resolver query the PSP first: the money may have been taken";
                case POISON ->
                    Words.canBeEdited(letter.cause()) ? "cannot take it: it is no payment; edit makes it one, or purge gives it up"
                            : "cannot take it, and no edit makes an accepted payment of it: purge gives it up";
                case MENDED -> "sends it as it was edited to the topic that it was found on";
                case FOREIGN -> "sends it back to " + letter.target().orElseThrow() + ", with its own key, value and headers";
                case NO_TARGET -> "cannot take it: its headers name no topic that it could go back to; look at it, or purge it";
            });
        }
    }

    private void operation(Operation operation, Optional<String> ofMerchant) {
        heading("Payment");
        var accepted = operation.accepted();
        field("amount", accepted.request().money().toString());
        field("merchant", accepted.merchant());
        field("key", accepted.idempotencyKey());
        PaymentMethodId.parse(accepted.request().paymentMethod()).ifPresent(stored -> field("method", stored.value()));
        ofMerchant.ifPresent(reference -> field("reference", reference));
        field("accepted", Words.time(accepted.at()));
        field("state", "%s (generation %d, step %d)".formatted(operation.state().tag(), operation.generation(), operation.step()));
    }

    private void attempts(Story story) {
        heading("Attempts");
        if (story.attempts().isEmpty()) {
            screen.print("  none: nothing was ever sent to a PSP");
        }
        for (Attempt attempt : story.attempts()) {
            screen.labelled("  %d. ".formatted(attempt.sequence()),
                    "%s at %s: %s; key %s%s%s".formatted(Words.time(attempt.sentAt()), attempt.psp(),
                            inWords(attempt), attempt.key().value(), keyLife(attempt),
                            MomentWords.sends(attempt.sends())));
        }
    }

    /** Only an attempt without a definite answer may be sent under its key again. */
    private static String keyLife(Attempt attempt) {
        return switch (attempt.state()) {
            case IN_FLIGHT, UNKNOWN -> ", which %s knows until %s".formatted(attempt.psp(), Words.time(attempt.keyValidUntil()));
            case FAILED_DEFINITE, SUCCEEDED -> "";
        };
    }

    private static String inWords(Attempt attempt) {
        String why = attempt.cause().map(cause -> ": " + cause).orElse("")
                + attempt.message().filter(message -> !message.isEmpty()).map(message -> " (" + message + ")").orElse("");
        String reference = attempt.pspReference().map(r -> ", reference " + r).orElse("");
        return switch (attempt.state()) {
            case IN_FLIGHT -> "under way, no answer yet";
            case UNKNOWN -> "it is not known yet whether it took the money" + why + reference;
            case FAILED_DEFINITE -> "certainly took no money" + why + reference;
            case SUCCEEDED -> "took the money" + reference;
        };
    }

    private void source(Story.Source source) {
        heading("Record");
        field("found at", "%s, partition %d, offset %d".formatted(source.topic(), source.partition(), source.offset()));
        if (source.closed().isPresent()) {
            field("bytes", "cannot be opened: " + source.closed().get());
            return;
        }
        bytes("key", source.key());
        bytes("value", source.value());
        source.headers().ifPresent(headers -> bytes("headers", Optional.of(headers)));
    }

    private void bytes(String name, Optional<byte[]> bytes) {
        field(name, bytes.map(some -> "%,d bytes".formatted(some.length)).orElse("none"));
        bytes.ifPresent(some -> Bytes.lines(some).forEach(line -> screen.print("    %s", line)));
    }

    private void audit(Story story) {
        heading("History");
        if (story.audit().isEmpty()) {
            screen.print("  no one has changed it");
        }
        for (Story.Deed deed : story.audit()) {
            String why = deed.reason().map(reason -> ": " + reason).orElse("");
            String finding = deed.finding().map(found -> ": " + found.inWords()).orElse("");
            screen.labelled("  %s ".formatted(Words.time(deed.at())), "%s by %s%s%s%s".formatted(deed.action(), deed.actor(),
                    deed.run().map(" in "::concat).orElse(""), finding, why));
        }
    }

    private void heading(String title) {
        screen.print("");
        screen.print("%s", screen.bold(title));
    }

    private void field(String name, String value) {
        screen.labelled("  %-9s ".formatted(name), value);
    }
}
