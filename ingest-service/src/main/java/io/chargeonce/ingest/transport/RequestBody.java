// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import io.chargeonce.http.BodyBytes;
import io.chargeonce.http.Deadline;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.helidon.webserver.http.ServerRequest;

/** Takes a request's body off the wire, never more of it than a payment request may have. Any thread. */
public final class RequestBody {

    private final BodyBytes bytes;

    public RequestBody(Deadline deadline) {
        this.bytes = new BodyBytes(deadline);
    }

    public Checked<byte[]> read(ServerRequest request, RequestForm form) {
        if (!BodyBytes.hasType(request, "application/json")) {
            return new Checked.Wrong<>(Problems.notJson());
        }
        return bytes.read(request, Contract.LARGEST_BODY).<Checked<byte[]>>map(Checked.Right::new)
                .orElseGet(() -> new Checked.Wrong<>(Problems.tooLarge(form)));
    }
}
