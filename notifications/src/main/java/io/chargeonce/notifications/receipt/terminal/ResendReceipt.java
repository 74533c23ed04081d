// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt.terminal;

import io.chargeonce.notifications.receipt.ReceiptBook.Entry;
import io.chargeonce.notifications.receipt.ReceiptBook.Filter;
import io.chargeonce.notifications.receipt.ReceiptBook;
import io.chargeonce.notifications.terminal.MessageCommand;
import io.chargeonce.text.Counted;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "resend", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {"Mails a receipt again, with all tries and under the same Message-ID, also one that was sent.",
            "With the id of a payment: makes the receipts that it and its refunds lack, because Kafka has lost their records.",
            "Without --yes it only says what it would do."})
final class ResendReceipt extends MessageCommand<ReceiptCommand> {

    @Parameters(paramLabel = "ID", arity = "0..1", description = "Of a receipt (rcp_…) or of a payment (pay_…).")
    Optional<String> id = Optional.empty();

    @Option(names = "--all-failed", description = "All that are not tried any more, in place of one.")
    boolean allFailed;

    @Option(names = "--error", paramLabel = "E", description = "With --all-failed: only with this last error, such as timed_out.")
    Optional<String> error = Optional.empty();

    @Option(names = "--yes", description = "Do it.")
    boolean yes;

    @Override
    public Integer call() {
        if (id.isPresent() == allFailed || error.isPresent() && !allFailed) {
            throw wrong("give the ID of a receipt or a payment, or --all-failed, to which --error may be added");
        }
        return parent.with(allFailed ? this::all : id.get().startsWith("pay_") ? this::missed : this::one);
    }

    private int missed(ReceiptBook book) {
        String payment = id.orElseThrow();
        long made = yes ? book.stageMissed(payment) : book.missing(payment);
        if (made == 0) {
            return refuse(NO, ("it lacks none: it has not succeeded in the last 20 days, or has no "
                    + "address any more, or 'receipt list --payment %s' shows them").formatted(payment));
        }
        return say(yes ? "Mails %,d that %s lacked.".formatted(made, payment)
                : "Would mail %,d that %s lacks. Add --yes to do it, if 'chargeonce receipt-sender' and no other mails the receipts."
                        .formatted(made, payment));
    }

    private int one(ReceiptBook book) {
        List<Entry> found = book.list(new Filter(Optional.empty(), Optional.empty(), Optional.empty(), id), 1);
        if (found.isEmpty()) {
            return refuse(NO, "no receipt has that id: see chargeonce receipt list");
        }
        String state = found.getFirst().state();
        if (state.equals("waiting") || state.equals("erased")) {
            return refuse(NO, state.equals("waiting") ? "it waits for its next try already"
                    : "the customer's address was erased before it was mailed");
        }
        if (!book.hasAddress(found.getFirst().receipt())) {
            return refuse(NO, "the customer's address was erased; it stays as it is, " + state);
        }
        String about = "the receipt of the %s of %s, which is %s".formatted(found.getFirst().kind(), found.getFirst().payment(), state);
        if (!yes) {
            return say("Would mail %s, again. Add --yes to do it.".formatted(about));
        }
        return book.resend(found.getFirst().receipt()) ? say("Mails %s, again.".formatted(about))
                : refuse(NO, "it has changed meanwhile: see chargeonce receipt list");
    }

    private int all(ReceiptBook book) {
        if (!yes) {
            return say("Would mail %s again. Add --yes to do it.".formatted(Counted.of(book.dead(error), "receipt")));
        }
        int mailed = book.resendDead(error);
        return mailed > 0 ? say("Mails %s again.".formatted(Counted.of(mailed, "receipt")))
                : refuse(NO, "no such receipt has failed: see chargeonce receipt list --failed");
    }
}
