// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.bank;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.wire.PaymentJson;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An account at a bank, which gets payments in files. Sending puts the attempt among those that the next file takes: one row, inserted
 * once. From then on the attempt is open until the bank's lines say what became of it, or the bank has been silent for too long. No call
 * leaves the database, so the attempt is collected or not, and never something between. Any thread.
 */
public final class BankGateway implements Gateway, RefundGateway {

    /** A status query within this time still collects what a dead process has not. Then it is only looked up, and fenced. */
    private static final Duration KEY_LIFE = Duration.ofHours(1);
    private static final Duration CALL_BUDGET = Duration.ofSeconds(5);

    private final String name;
    private final Database database;

    /** @param name {@code bank}, or {@code bank-} and a name */
    public BankGateway(String name, Database database) {
        this.name = name;
        this.database = database;
    }

    @Override
    public String psp() {
        return name;
    }

    /** What the file says about it comes from the operation's row and its mandate. Names and accounts are not stored here. */
    @Override
    public byte[] render(Operation operation, PspKey key) {
        return PaymentJson.write(Map.of("end_to_end_id", key.value(), "mandate", operation.accepted().request().paymentMethod()));
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        return render(refund, key);
    }

    @Override
    public Duration keyLife() {
        return KEY_LIFE;
    }

    @Override
    public Duration callBudget() {
        return CALL_BUDGET;
    }

    /** Collecting and looking up are the same row. */
    @Override
    public Duration visibilityLag() {
        return Duration.ZERO;
    }

    @Override
    public boolean answersStatusQueries() {
        return false;
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return Optional.of(this);
    }

    @Override
    public Outcome charge(Charge charge) {
        return charge.lease().hasEnded() ? Lease.notSent() : collect(charge.key());
    }

    @Override
    public Outcome findOut(Charge charge) {
        return charge.recalled() ? recall(charge.key()) : find(charge.key(), charge.mayBeSent() && !charge.lease().hasEnded());
    }

    @Override
    public Outcome fence(Charge charge) {
        return fence(charge.key());
    }

    @Override
    public Outcome refund(Refund refund) {
        return refund.lease().hasEnded() ? Lease.notSent() : collect(refund.key());
    }

    @Override
    public Outcome findOut(Refund refund) {
        return find(refund.key(), refund.mayBeSent() && !refund.lease().hasEnded());
    }

    @Override
    public Outcome fence(Refund refund) {
        return fence(refund.key());
    }

    private Outcome collect(PspKey key) {
        return switch (DatabaseRetry.insist(() -> database.withConnection(connection -> BankItems.collect(connection, key)))) {
            case "collected" -> find(key, false);
            case "fenced" -> find(key, false);
            case "revoked" -> new Outcome.Declined("MD01", "its mandate is revoked", Optional.empty());
            default -> new Outcome.Failed(FailureCause.REFUSED_BY_THIS_PSP, "it has no mandate at " + name);
        };
    }

    Outcome find(PspKey key, boolean mayBeCollected) {
        Optional<BankItems.Standing> found =
                DatabaseRetry.insist(() -> database.withConnection(connection -> BankItems.find(connection, key)));
        if (found.isPresent()) {
            return standing(found.get());
        }
        return mayBeCollected ? collect(key)
                : new Outcome.Unknown(UnknownCause.NOT_FOUND, "it was not collected for " + name, Optional.empty());
    }

    private Outcome standing(BankItems.Standing item) {
        if (item.another()) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED,
                    "a payment that was forgotten had the same key at %s; the next attempt has another".formatted(name));
        }
        if (item.fenced()) {
            return given(item.note());
        }
        String said = item.message().map(message -> "it is in file %s, which is %s".formatted(message, item.state().replace('_', ' ')))
                .orElse("it waits for the next file to " + name);
        if (!item.due().isNegative()) {
            return new Outcome.Unknown(UnknownCause.STILL_PROCESSING, said, Optional.empty(), Optional.of(item.due().plusSeconds(1)));
        }
        if (item.message().isEmpty()) {
            return new Outcome.Unknown(UnknownCause.STILL_PROCESSING,
                    "no file was made for %s in time: does the bank-files service run?".formatted(name), Optional.empty());
        }
        // What is not at the bank yet still goes there. So a person cannot settle it as not charged.
        return !item.atBank()
                ? new Outcome.Unknown(UnknownCause.STILL_PROCESSING, said + " and still goes out: see bank batches", Optional.empty())
                : new Outcome.Unknown(UnknownCause.NO_ANSWER_IN_TIME,
                        "%s has said nothing in time: %s. Ask the bank; nothing is sent again "
                                .formatted(name, said) + "by itself",
                        Optional.empty());
    }

    private static Outcome given(String why) {
        return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED,
                "it was given up before any file took it" + (why.isEmpty() ? "" : ": " + why));
    }

    /** A debit that waits for its file is removed. One that is in a file cannot be recalled. */
    private Outcome recall(PspKey key) {
        boolean stopped = DatabaseRetry.insist(() -> database.withConnection(connection -> BankItems.recall(connection, key)));
        return stopped ? given("") : find(key, false);
    }

    private Outcome fence(PspKey key) {
        boolean fenced = DatabaseRetry.insist(() -> database.withConnection(connection -> BankItems.fence(connection, key)));
        return fenced ? given("") : find(key, false);
    }
}
