// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The value on the main topic and the retry tiers: the request, for readers of the topic, and the step, which says for which step of the
 * operation the record was staged. The handler compares it with the database's row and decides from the row.
 *
 * @param operationId the payment's id, for a charge
 * @param step        raised whenever work is staged for the operation; a record with another step is superseded
 */
public record PaymentRecord(
        String type,
        int version,
        String paymentId,
        String operation,
        String operationId,
        int step,
        String merchant,
        String idempotencyKey,
        long amount,
        String currency,
        String paymentMethod,
        Optional<String> customer,
        Optional<String> reference) {

    public static final String TYPE = "payment.request";
    /** Raised, by one, only for a change that an older reader would misread. A new field is no such change: readers skip unknown fields. */
    public static final int VERSION = 1;
    /** The oldest version that is still read. */
    public static final int OLDEST_VERSION = 1;

    public PaymentRecord {
        Objects.requireNonNull(paymentId, "payment_id is missing");
        Objects.requireNonNull(operation, "operation is missing");
        Objects.requireNonNull(operationId, "operation_id is missing");
        Objects.requireNonNull(merchant, "merchant is missing");
        Objects.requireNonNull(idempotencyKey, "idempotency_key is missing");
        Objects.requireNonNull(currency, "currency is missing");
        Objects.requireNonNull(paymentMethod, "payment_method is missing");
        if (step < 1 || amount < 1) {
            throw new IllegalArgumentException("step and amount are missing or below 1");
        }
    }

    public static PaymentRecord of(String operationId, int step, String merchant, String idempotencyKey,
                                   PaymentRequest request) {
        return of(operationId, OperationKind.CHARGE, operationId, step, merchant, idempotencyKey, request);
    }

    public static PaymentRecord of(String paymentId, OperationKind kind, String operationId, int step, String merchant,
                                   String idempotencyKey, PaymentRequest request) {
        return new PaymentRecord(TYPE, VERSION, paymentId, kind.tag(), operationId, step, merchant, idempotencyKey,
                request.money().minorUnits(), request.money().currency(), request.paymentMethod(),
                request.customer(), request.reference());
    }

    /** Whether its id is the one that its other fields derive, as it is for each operation that was ever accepted. Not a field. */
    public boolean hasIdOfItsKey() {
        return switch (operation) {
            case "charge" -> operationId.equals(paymentId) && isKeysPayment();
            case "refund" -> operationId.equals(idempotencyKey) && operationId.startsWith("payment-" + paymentId + "-refund");
            case "reversal" ->
                operationId.equals(idempotencyKey) && operationId.startsWith("attempt-") && operationId.endsWith("-reversal");
            default -> false;
        };
    }

    private boolean isKeysPayment() {
        try {
            return paymentId.equals(PaymentId.derive(merchant, new IdempotencyKey(idempotencyKey)).value());
        } catch (IllegalArgumentException notAKey) {
            return false;
        }
    }

    /** True for the same request, in any step and any version. A record may be older than the erasure of its payment's customer. */
    public boolean saysTheSameAs(PaymentRecord other) {
        boolean erased = Stream.of(customer, other.customer).flatMap(Optional::stream).anyMatch(PaymentRequest.ERASED::equals);
        return equals(new PaymentRecord(other.type, version, other.paymentId, other.operation, other.operationId, step,
                other.merchant, other.idempotencyKey, other.amount, other.currency, other.paymentMethod, erased ? customer : other.customer,
                other.reference));
    }
}
