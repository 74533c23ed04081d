// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.PaymentId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every problem that this service answers with, in the order in which a request can meet them. */
public final class Problems {

    private static final String NOT_REPRESENTABLE = "amount-not-representable";

    private Problems() {}

    /** @param status as the web server chose it */
    public static Problem badHttp(int status) {
        return Problem.of(status, "bad-http", "The request is not acceptable HTTP",
                "Send well-formed HTTP/1.1 or HTTP/1.0: the method in capitals, a request line of at most 4 KiB, headers with names and of "
                        + "at most 16 KiB together, one body, uncompressed.");
    }

    /** HTTP/1.0 knows no chunks, and only chunks can be sent while the requests still arrive. */
    public static Problem batchNeedsHttp11() {
        return Problem.of(505, "bad-http", "A batch needs HTTP/1.1",
                "The answers of a batch are sent in chunks, which HTTP/1.0 does not have. Send the batch over HTTP/1.1, or send its "
                        + "payments one by one. A proxy in front of this server may have to be told to use HTTP/1.1.");
    }

    public static Problem notFound() {
        return Problem.of(404, "not-found", "There is nothing here",
                "Check the path and the id. A payment is shown only to the merchant who sent it, and an endpoint only to its merchant.");
    }

    public static Problem methodNotAllowed(String allowed) {
        return Problem.of(405, "method-not-allowed", "This path does not take that method",
                "Use " + allowed + " here.").with("Allow", allowed);
    }

    public static Problem unauthenticated() {
        return Problem.of(401, "unauthenticated", "No valid credential",
                "Send 'Authorization: Bearer <token>' with a token that was issued to a merchant and not revoked.")
                .with("WWW-Authenticate", "Bearer realm=\"chargeonce\"");
    }

    public static Problem tokenExpired() {
        return Problem.of(401, "token-expired", "The token has expired", "Send a token that is still valid; its issuer makes a new one.")
                .with("WWW-Authenticate", "Bearer realm=\"chargeonce\", error=\"invalid_token\"");
    }

    public static Problem tokenRevoked() {
        return Problem.of(401, "token-revoked", "The token was revoked", "Send a token that is still valid; its issuer makes a new one.")
                .with("WWW-Authenticate", "Bearer realm=\"chargeonce\", error=\"invalid_token\"");
    }

    public static Problem scopeMissing(String scope) {
        return Problem.of(403, "scope-missing", "The token may not do this",
                "This needs a token with the scope '%s'; its issuer makes a new one.".formatted(scope))
                .with("WWW-Authenticate", "Bearer realm=\"chargeonce\", error=\"insufficient_scope\", scope=\"" + scope + "\"");
    }

    public static Problem addressNotAllowed() {
        return Problem.of(403, "address-not-allowed", "The token may not be used from here",
                "Send it from an address that it was issued for; its issuer makes one for other addresses.");
    }

    public static Problem keyMissing(RequestForm form) {
        return Problem.of(400, "idempotency-key-missing", "No idempotency key",
                form.giveKey() + " that names this payment, and send the same key whenever you repeat the request.")
                .withError(form.keyField(), "is required");
    }

    public static Problem keyInvalid(RequestForm form) {
        return Problem.of(400, "idempotency-key-invalid", "The idempotency key cannot be used",
                form.giveKey() + " once, with 1 to 255 visible ASCII characters and no spaces, bare or as an RFC 8941 string in quotes.")
                .withError(form.keyField(), "must be 1 to 255 visible ASCII characters without spaces");
    }

    public static Problem notJson() {
        return Problem.of(415, "unsupported-media-type", "The body's type is not application/json",
                "Send JSON in UTF-8, with 'Content-Type: application/json'.").withError("Content-Type", "must be application/json");
    }

    public static Problem notNdjson() {
        return Problem.of(415, "unsupported-media-type", "The body's type is not application/x-ndjson",
                "Send one payment request a line as JSON in UTF-8, each with its own idempotency_key, and "
                        + "'Content-Type: application/x-ndjson'.")
                .withError("Content-Type", "must be application/x-ndjson");
    }

    public static Problem tooLarge(RequestForm form) {
        return Problem.of(413, "body-too-large", "The %s is too large".formatted(form.whole()),
                "A %s has at most %,d bytes.".formatted(form.whole(), Contract.LARGEST_BODY));
    }

    /** @param told where they are, and how large */
    public static Problem tooLargeTogether(String told) {
        return Problem.of(413, "body-too-large", "The records are too large",
                "A record has at most %,d bytes. %s. Send those of them that are payments again.".formatted(Contract.LARGEST_BODY, told));
    }

    /** What the web server does not read on. */
    public static Problem tooLargeForHttp() {
        return Problem.of(413, "body-too-large", "The body is too large",
                "The body of one request has at most %,d bytes. A batch has at most 4 GiB, in chunks of at most 1 MiB."
                        .formatted(Contract.LARGEST_BODY));
    }

    public static Problem tooOld(Duration youngerThan) {
        return Problem.of(410, "record-too-old", "The record is too old",
                ("Its time is more than %d days ago, so its key may no longer be known, and accepting it could charge a second time. "
                        + "If this payment was never accepted, send it again with the present time.").formatted(youngerThan.toDays()));
    }

    public static Problem fromTheFuture() {
        return Problem.of(400, "record-from-the-future", "The record's time is in the future",
                "Its time is more than a day from now, so its age is not known. Set the producer's clock, and send it again with the "
                        + "present time.");
    }

    /** @param detail what is wrong, where, and what to send */
    public static Problem malformed(RequestForm form, String detail) {
        return Problem.of(400, "malformed-json", "The %s is not one JSON object".formatted(form.whole()), detail);
    }

    /** @param fields their names, as the sender knows them */
    public static Problem cardNumber(RequestForm form, List<String> fields) {
        String instead = form != RequestForm.PAYMENT && form != RequestForm.BATCH_LINE && form != RequestForm.RECORD ? ""
                : ", and send the PSP's token for the card as payment_method";
        return Problem.of(400, "card-number-not-allowed", "The request holds what can be a card number",
                "Take it out of every field listed under errors%s. If it is a number of your own, put a letter into the middle of it. "
                        .formatted(instead) + "Nothing of this request was kept.")
                .withErrors(fields.stream()
                        .map(field -> new Problem.FieldError(field, "holds digits that can be a card's number")).toList());
    }

    public static Problem invalid(List<Problem.FieldError> errors) {
        return Problem.of(400, "invalid-request", "The request has fields that cannot be accepted",
                "Correct every field listed under errors and send the request again; the same idempotency key may be used.")
                .withErrors(errors);
    }

    public static Problem railNotAvailable() {
        return Problem.of(400, "rail-not-available", "This payment method does not go by this rail",
                "A mandate is debited by the rail \"bank_debit\", where a bank is set up. Every other payment method goes by \"card\", "
                        + "which is also meant when the field is left out.")
                .withError("rail", "must fit payment_method, and be set up");
    }

    public static Problem noMandate() {
        return Problem.of(400, "mandate-not-known", "This mandate is not known",
                "You have no valid mandate of this name. It may be revoked, or not added yet; the same idempotency key may be used again.")
                .withError("payment_method", "is no valid mandate of yours");
    }

    public static Problem noPaymentMethod() {
        return Problem.of(400, "payment-method-not-known", "This payment method is not known",
                "You have no stored payment method of this id, it was detached, or it is another customer's. Store one and send its id; "
                        + "the same idempotency key may be used again.")
                .withError("payment_method", "is no stored payment method of yours, or of another customer");
    }

    public static Problem noToken() {
        return Problem.of(400, "payment-method-not-taken", "No PSP of this payment has a token of its payment method",
                "The payment method has tokens of other PSPs than those that are set up for this payment. Store one with a token of one "
                        + "of them; the same idempotency key may be used again.")
                .withError("payment_method", "has no token of a PSP that is set up for this payment");
    }

    public static Problem currencyNotTaken(String currency) {
        return Problem.of(400, NOT_REPRESENTABLE, "No PSP moves this currency",
                "No PSP takes %s. Send a currency that people pay in.".formatted(currency))
                .withError("currency", "is taken by no PSP");
    }

    public static Problem amountNotRepresentable(String currency) {
        return Problem.of(400, NOT_REPRESENTABLE, "No PSP can move this amount",
                ("Amounts are in the minor units of ISO 4217, and no PSP has a unit as small as this one of %s. "
                        + "Send an amount that can be paid.")
                        .formatted(currency))
                .withError("amount", "has a fraction that no PSP can move");
    }

    public static Problem notRepresentableHere(String currency) {
        return Problem.of(400, NOT_REPRESENTABLE, "No PSP of this payment can move this amount",
                ("The PSPs that are set up for this payment do not take %s, or have no unit of it as small as this. "
                        + "Send an amount that can be paid; the same idempotency key may be used again.").formatted(currency))
                .withError("amount", "cannot be moved by a PSP that is set up for this payment");
    }

    public static Problem textsNotTaken() {
        return Problem.of(400, "texts-not-taken", "No PSP of this payment takes its customer or payment method",
                "Each PSP that is set up for this payment takes only texts of a certain length. Adyen takes a customer of 3 to 256 "
                        + "characters and a payment method of at most 64. Send texts of that length; the same idempotency key "
                        + "may be used again.")
                .withError("customer", "and payment_method are too short or too long for each PSP that is set up for this payment");
    }

    public static Problem refundNotRepresentable(String currency) {
        return Problem.of(400, NOT_REPRESENTABLE, "The PSP cannot give back this amount",
                ("The PSP that has the money has no unit of %s as small as this. Send an amount that it can give back, or none for "
                        + "all that is left.")
                        .formatted(currency))
                .withError("amount", "has a fraction that the PSP cannot give back");
    }

    /** @param names  what the key names, if that is not of the same kind or belongs to another payment
     *  @param fields in which the two requests differ; may be none where one of them was erased */
    public static Problem keyReused(RequestForm form, Optional<String> names, List<String> fields) {
        Problem problem = Problem.of(409, "idempotency-key-reused", "This idempotency key already names another request",
                "Send the first request again unchanged to get its answer, or use a new key for a new one.");
        return names.isPresent() || fields.isEmpty()
                ? problem.withError(form.keyField(), "names " + names.orElse("another request"))
                : problem.withErrors(fields.stream()
                        .map(field -> new Problem.FieldError(field, "differs from the first request with this key")).toList());
    }

    public static Problem duplicateSuspected(PaymentId first) {
        String link = Contract.PAYMENTS + "/" + first;
        return Problem.of(409, "duplicate-suspected", "The same purchase was made a moment ago under another key",
                "Look at the payment that the field payment links to. If this is a purchase of its own, send the request again "
                        + "with the header 'Duplicate-Guard: off'. Nothing of this request was kept.")
                .with("Link", "<" + link + ">; rel=\"duplicate\"").withPayment(link);
    }

    public static Problem duplicateGuardInvalid() {
        return Problem.of(400, "duplicate-guard-invalid", "The Duplicate-Guard header cannot be used",
                "Send 'Duplicate-Guard: off' to let an equal purchase pass, or leave the header out.")
                .withError("Duplicate-Guard", "must be off");
    }

    public static Problem alreadyCaptured(PaymentId id) {
        return Problem.of(409, "already-captured", "The payment was charged already",
                "It cannot be canceled any more. Refund it to give the money back.").withPayment(Contract.PAYMENTS + "/" + id);
    }

    /** Of the same type: to its merchant, a payment that its PSP may have charged is one that it has charged. */
    public static Problem foundAtPsp(PaymentId id) {
        return Problem.of(409, "already-captured", "The payment may have been charged already",
                "A PSP has a charge of it that the operator of this service has to look at. Until then it cannot be canceled: look at its "
                        + "status later.")
                .withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem paymentDeclined(PaymentId id) {
        return Problem.of(409, "payment-declined", "The payment was declined",
                "It was not charged and will not be, so there is nothing to cancel.").withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem paymentCanceled(PaymentId id) {
        return Problem.of(409, "payment-canceled", "The payment is canceled",
                "It was not charged, so there is nothing to refund. Money that a PSP captures for it later is given back automatically.")
                .withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem notCaptured(PaymentId id) {
        return Problem.of(409, "payment-not-captured", "There is nothing to give back",
                "The payment was not charged: look at its status.").withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem paymentDisputed(PaymentId id) {
        return Problem.of(409, "payment-disputed", "A dispute has taken the money",
                "The customer's bank has the money, or a part of it, so a refund would give it back twice. If the dispute is won, the "
                        + "payment can be refunded again: look at its disputes.")
                .withPayment(Contract.PAYMENTS + "/" + id);
    }

    /** @param named whether the request gave an amount */
    public static Problem refundTooLarge(PaymentId id, long refundable, boolean named) {
        Problem problem = Problem.of(409, "refund-too-large", "More would go back than was captured",
                refundable == 0 ? "Nothing is left: all that was captured has gone back or is on its way back."
                        : "At most %d minor units can still be refunded; refunds that are on their way are taken off."
                                .formatted(refundable))
                .withPayment(Contract.PAYMENTS + "/" + id);
        return named ? problem.withError("amount", "is more than the %d minor units that can still be refunded".formatted(refundable))
                : problem;
    }

    public static Problem refundDiffers(PaymentId id, Operation earlier) {
        return Problem.of(409, "refund-differs", "This refund was requested before, with another amount",
                "Send the first amount again to get its answer, or name another refund of this payment by a reference of its own.")
                .withError("amount", "differs from " + earlier.id()).withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem cardDeclined(PaymentId id, Optional<String> code) {
        return Problem.of(402, "card-declined", "The payment was declined",
                "It will not be charged. Ask the customer for another means of payment and send it with a new key"
                        + code.map(why -> "; the reason given is " + why).orElse("") + ".")
                .with(Problem.STORED, "true").withPayment(Contract.PAYMENTS + "/" + id);
    }

    public static Problem tooManyRequests(int perSecond) {
        return Problem.of(429, "rate-limited", "Too many requests a second",
                "At most %,d requests a second are taken from this merchant. Send the same request again after the time in Retry-After."
                        .formatted(perSecond))
                .with("Retry-After", "1");
    }

    /** Before any request is read. */
    public static Problem tooManyConnections() {
        return Problem.of(503, "too-many-connections", "Too many connections from this address",
                "Close some, and keep few open for many requests.").with("Retry-After", "1");
    }

    /** @param what and how many of it, as one merchant may have under way at most */
    public static Problem tooManyAtOnce(String what) {
        return Problem.of(429, "too-many-at-once", "Too much at once",
                ("One merchant has at most %s under way here. Send the same request again when one of them is over, and after the time in "
                        + "Retry-After.")
                        .formatted(what))
                .with("Retry-After", "1");
    }

    public static Problem badQuery(List<Problem.FieldError> parameters) {
        return Problem.of(400, "invalid-query", "The query cannot be answered",
                "Correct every parameter listed under errors: ?reference= with limit and cursor if you like, or ?idempotency_key= alone.")
                .withErrors(parameters);
    }

    public static Problem badDeliveryQuery(String known, List<Problem.FieldError> parameters) {
        return Problem.of(400, "invalid-query", "The query cannot be answered",
                "Correct every parameter listed under errors: %s are known here.".formatted(known)).withErrors(parameters);
    }

    public static Problem tooManyEndpoints(int most) {
        return Problem.of(409, "too-many-endpoints", "There are too many webhook endpoints",
                "A merchant has at most %d. Remove one that you no longer need.".formatted(most));
    }

    public static Problem tooManySecrets() {
        return Problem.of(409, "too-many-secrets", "Too many secrets of this endpoint are valid",
                "Wait until an older one expires, or send overlap_seconds 0, which ends them at once.");
    }

    public static Problem tooManyTests() {
        return Problem.of(429, "too-many-tests", "Too many tests",
                "An endpoint gets at most ten tests and redeliveries of one delivery within a minute.")
                .with("Retry-After", "60");
    }

    public static Problem endpointHeld() {
        return Problem.of(409, "endpoint-held", "The endpoint was disabled by the operator",
                "Only the operator can enable or remove it, or add another one at its host.");
    }

    public static Problem endpointDisabled() {
        return Problem.of(409, "endpoint-disabled", "The endpoint is disabled", "Enable it first.");
    }

    public static Problem webhooksNotSetUp() {
        return Problem.of(501, "webhooks-not-set-up", "Secrets of webhooks cannot be stored here",
                "Ask the operator, who has to give this service the key that seals them.");
    }

    /** A COMMIT under way may have taken effect. */
    public static Problem endpointsUnavailable() {
        return Problem.of(503, "unavailable", "The store of endpoints cannot be reached",
                "Whether the change took effect is not known. Look at your endpoints after the time in Retry-After, and repeat it if it is "
                        + "missing. Remove an endpoint whose secret you did not get.")
                .with("Retry-After", "2");
    }

    public static Problem keyInUse() {
        return Problem.of(409, "idempotency-key-in-use", "A request with this idempotency key is still being accepted",
                "Send the same request again after the time in Retry-After: you will get that request's answer.")
                .with("Retry-After", "1");
    }

    public static Problem overloaded() {
        return Problem.of(503, "overloaded", "Too many requests are waiting",
                "Send the same request with the same key again after the time in Retry-After.").with("Retry-After", "1");
    }

    /** The request was refused before it reached Postgres, which answers no other request either. */
    public static Problem unreached() {
        return Problem.of(503, "unavailable", "The payment store cannot be reached",
                "Nothing was stored. Send the same request with the same key again after the time in Retry-After.")
                .with("Retry-After", "2");
    }

    /** A COMMIT under way may have taken effect, so nothing is claimed about what was stored. */
    public static Problem unavailable() {
        return Problem.of(503, "unavailable", "The payment store cannot be reached",
                "Whether the request took effect is not known. Send the same request with the same key again after the time in "
                        + "Retry-After: it is never accepted twice.")
                .with("Retry-After", "2").with(Problem.STORED, "unknown");
    }

    public static Problem internal() {
        return Problem.of(500, "internal-error", "Something is wrong on our side",
                "Send the same request with the same key again later: it is never accepted twice.")
                .with(Problem.STORED, "unknown");
    }
}
