// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.ExceptionMapper;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.method.KnownPsps;
import java.time.Duration;
import java.util.function.Function;

/** Answers one request to accept a payment, over HTTP, as a line of a batch or from a topic. Any thread. */
public final class AcceptanceService implements Function<AcceptRequest, Answer>, AutoCloseable {

    private static final int WRITERS = 2;
    /** A request that would wait longer for its turn is refused at once: a longer queue makes no request quicker. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(500);

    /** A multiple of every PSP's unit in every currency. */
    private static final long ROUND_AMOUNT = 1_000_000;

    private final Coalescer<AcceptRequest, Acceptance> acceptances;
    private final KeysInFlight keys;
    private final KnownPsps known;

    private AcceptanceService(Coalescer<AcceptRequest, Acceptance> acceptances, KnownPsps known) {
        this.acceptances = acceptances;
        this.keys = new KeysInFlight(acceptances);
        this.known = known;
    }

    /**
     * @param topic        where accepted payments enter the pipeline
     * @param chargeWithin after this time no new attempt to charge is made
     * @param known        the PSPs that may take a payment
     * @param staged       called after each commit, so that a relay in this process publishes at once
     */
    public static AcceptanceService start(Database database, String topic, Duration chargeWithin, KnownPsps known,
                                          Runnable staged) {
        return new AcceptanceService(
                new Coalescer<>("accept", database, WRITERS, LONGEST_WAIT, staged, new AcceptPayments(topic, chargeWithin, known)),
                known);
    }

    @Override
    public Answer apply(AcceptRequest ask) {
        return ExceptionMapper.answer(() -> switch (keys.accept(ask)) {
            case Acceptance.Accepted() -> ask.answer().first();
            case Acceptance.Replayed replay -> ask.answer().repeated(replay.now(), replay.firstAt(), ask.receivedAt());
            case Acceptance.DuplicateSuspected(PaymentId first) -> Problems.duplicateSuspected(first).answer();
            case Acceptance.Reused(RequestFingerprint.Conflict conflict) ->
                Problems.keyReused(ask.form(), conflict.names(), conflict.fields()).answer();
            case Acceptance.RailNotSetUp() -> Problems.railNotAvailable().answer();
            case Acceptance.NoMandate() -> Problems.noMandate().answer();
            case Acceptance.NotTaken(Money money) -> (known.anyCanSay(new Money(ROUND_AMOUNT, money.currency()))
                    ? Problems.amountNotRepresentable(money.currency())
                    : Problems.currencyNotTaken(money.currency())).answer();
            case Acceptance.NotRepresentable(String currency) -> Problems.notRepresentableHere(currency).answer();
            case Acceptance.NoPaymentMethod() -> Problems.noPaymentMethod().answer();
            case Acceptance.NoToken() -> Problems.noToken().answer();
            case Acceptance.TextsNotTaken() -> Problems.textsNotTaken().answer();
            case Acceptance.InUse() -> Problems.keyInUse().answer();
        });
    }

    @Override
    public void close() {
        acceptances.close();
    }
}
