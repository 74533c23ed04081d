// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.LoggedRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Executes a call: works out answer and change, commits both in one journal line, and only then returns the answer. Calls about
 * one intent are executed one after another. Any thread.
 */
final class Execution {
    private static final ApiError SERVER_ERROR = ApiError.of(500, "api_error",
            "An unknown error occurred. The result of this request is not known.");

    private final StripeLedger books;
    private final LockStripes stripes = new LockStripes();
    private final IntentEndpoints intents;
    private final RefundEndpoint refunds;
    private final Reads reads;

    Execution(StripeLedger books, Reads reads) {
        this.books = books;
        this.intents = new IntentEndpoints(books);
        this.refunds = new RefundEndpoint(books);
        this.reads = reads;
    }

    /** Throws {@link Refusal} if the call is refused before it is executed; then nothing was committed. */
    Answer execute(Call call, Optional<Fault> fault, String requestId) {
        return stripes.locked(intentToLock(call, requestId), () -> {
            Executed executed = fault.isPresent() && fault.get() instanceof Fault.FailBefore
                    ? Executed.nothingBut(serverError()) : perform(call);
            Answer answer = altered(expanded(executed, call), fault);
            LoggedRequest logged = new LoggedRequest(call.at(), call.operation().method, call.path(), call.key(),
                    answer.status(), LoggedRequest.Handling.EXECUTED, fault.map(Fault::text));
            Optional<FrozenAnswer> frozen = call.key()
                    .map(key -> new FrozenAnswer(key, call.fingerprint(), call.at(), requestId, answer));
            books.commit(new JournalLine(logged, executed.change(), frozen));
            return answer;
        });
    }

    private String intentToLock(Call call, String requestId) {
        return switch (call.operation()) {
            case CONFIRM, CANCEL, UPDATE -> call.target();
            case REFUND -> refunds.intentToLock(call.form());
            // Nobody else knows a new intent yet, and a read needs no lock: any will do.
            case CREATE, RETRIEVE, LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, LIST_CHARGES, RETRIEVE_CHARGE -> requestId;
        };
    }

    private Executed perform(Call call) {
        try {
            return switch (call.operation()) {
                case CREATE -> intents.create(call);
                case CONFIRM -> intents.confirm(call);
                case CANCEL -> intents.cancel(call);
                case UPDATE -> intents.update(call);
                case REFUND -> refunds.refund(call);
                case RETRIEVE -> Executed.nothingBut(reads.intent(call));
                case LIST -> Executed.nothingBut(reads.intents(call));
                case SEARCH -> Executed.nothingBut(reads.search(call));
                case RETRIEVE_REFUND -> Executed.nothingBut(reads.refund(call));
                case LIST_REFUNDS -> Executed.nothingBut(reads.refunds(call));
                case RETRIEVE_CHARGE -> Executed.nothingBut(reads.charge(call));
                case LIST_CHARGES -> Executed.nothingBut(reads.charges(call));
            };
        } catch (Refusal refusal) {
            if (refusal.executed()) {
                return Executed.nothingBut(refusal.answer());
            }
            throw refusal;
        }
    }

    private Answer expanded(Executed executed, Call call) {
        List<String> wanted = call.form().list("expand");
        if (executed.answer() instanceof Answer.Intent(PaymentIntent intent, Optional<Charge> ignored)
                && wanted.contains("latest_charge")) {
            return new Answer.Intent(intent, executed.change().charge().or(() -> intent.latestCharge().flatMap(books::charge)));
        }
        return executed.answer();
    }

    private static Answer altered(Answer answer, Optional<Fault> fault) {
        if (fault.isPresent() && fault.get() instanceof Fault.FailAfter) {
            return serverError();
        }
        if (fault.isPresent() && fault.get() instanceof Fault.WrongAmount(long amount)) {
            return switch (answer) {
                case Answer.Intent(PaymentIntent intent, Optional<Charge> charge) ->
                    new Answer.Intent(intent.withAmount(amount), charge);
                case Answer.Refunded(Refund refund) -> new Answer.Refunded(refund.withAmount(amount));
                case Answer.Charged ignored -> answer;
                case Answer.Failure ignored -> answer;
                case Answer.Page ignored -> answer;
            };
        }
        return answer;
    }

    private static Answer serverError() {
        return Answer.error(SERVER_ERROR, Optional.empty());
    }

    /** The metadata by which a fault rule recognises the payment that a call is about. */
    Map<String, String> about(Call call) {
        return switch (call.operation()) {
            case CREATE -> call.form().map("metadata");
            case REFUND -> {
                Map<String, String> both = new HashMap<>(metadata(refunds.intentToLock(call.form())));
                both.putAll(call.form().map("metadata"));
                yield both;
            }
            case CONFIRM, CANCEL, UPDATE, RETRIEVE -> metadata(call.target());
            case LIST, SEARCH, LIST_REFUNDS, RETRIEVE_REFUND, LIST_CHARGES, RETRIEVE_CHARGE -> Map.of();
        };
    }

    private Map<String, String> metadata(String intent) {
        return books.intent(intent).map(PaymentIntent::metadata).orElse(Map.of());
    }
}
