// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.List;
import java.util.Optional;

/** What a client says about a payment beside its amount. Never changes what is charged. */
public record PaymentIntentDetails(Optional<String> customer, Optional<String> description, Optional<String> receiptEmail,
        Optional<String> returnUrl, Optional<String> statementDescriptor, Optional<String> statementDescriptorSuffix,
        Optional<String> setupFutureUsage, Optional<String> transferGroup, Optional<List<String>> paymentMethodTypes,
        boolean redirectsAllowed) {

    static PaymentIntentDetails of(Form form) {
        List<String> types = form.list("payment_method_types");
        boolean never = form.text("automatic_payment_methods[allow_redirects]").filter("never"::equals).isPresent();
        return new PaymentIntentDetails(form.text("customer"), form.text("description"), form.text("receipt_email"),
                form.text("return_url"), form.text("statement_descriptor"), form.text("statement_descriptor_suffix"),
                form.text("setup_future_usage"), form.text("transfer_group"),
                types.isEmpty() ? Optional.empty() : Optional.of(types), types.isEmpty() && !never);
    }

    /** These details where a later request names none of its own. */
    PaymentIntentDetails changedBy(Form form) {
        PaymentIntentDetails named = of(form);
        return new PaymentIntentDetails(named.customer.or(() -> customer), named.description.or(() -> description),
                named.receiptEmail.or(() -> receiptEmail), named.returnUrl.or(() -> returnUrl),
                named.statementDescriptor.or(() -> statementDescriptor),
                named.statementDescriptorSuffix.or(() -> statementDescriptorSuffix),
                named.setupFutureUsage.or(() -> setupFutureUsage), named.transferGroup.or(() -> transferGroup),
                named.paymentMethodTypes.or(() -> paymentMethodTypes),
                named.paymentMethodTypes.isEmpty() && redirectsAllowed);
    }
}
