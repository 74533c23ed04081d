// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A refund to send. Its payment and its reference name it: the same name is the same refund, however often it is sent.
 *
 * @param payment   the payment's id
 * @param amount    in minor units; empty is all that is left
 * @param reference tells several refunds of one payment apart: 1 to 64 letters, digits, dots, colons, dashes or underscores
 */
public record NewRefund(String payment, OptionalLong amount, Optional<String> reference) {

    public static NewRefund ofAll(String payment) {
        return new NewRefund(payment, OptionalLong.empty(), Optional.empty());
    }

    public static NewRefund ofPart(String payment, long amount, String reference) {
        return new NewRefund(payment, OptionalLong.of(amount), Optional.of(reference));
    }
}
