// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.util.Optional;

/** An answer in a PSP's own form. Immutable. */
public interface PspAnswer {
    int status();

    /** @param requestId see {@link PspApi#requestId} */
    HttpAnswer.Full to(HttpRequest request, Optional<String> requestId);
}
