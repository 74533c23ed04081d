// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Who started the charge of a stored payment method; the card networks require it. The tag is a request's {@code initiator}. */
public enum Initiator {
    /** The customer has just ordered. */
    CUSTOMER,
    /** The merchant, on a day that was agreed: a subscription. */
    SCHEDULED,
    /** The merchant, for a reason that was agreed and on no fixed day, such as a balance that runs low. */
    UNSCHEDULED;

    public static final List<String> TAGS = Arrays.stream(values()).map(Initiator::tag).toList();

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Initiator> fromTag(String tag) {
        return Arrays.stream(values()).filter(one -> one.tag().equals(tag)).findFirst();
    }
}
