// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.util.List;

/** Reads the Duplicate-Guard header: whether an equal purchase a moment ago stands in the way of this one. */
public final class GuardHeader {

    public static final HeaderName NAME = HeaderNames.create("Duplicate-Guard");

    private GuardHeader() {}

    public static Checked<Boolean> read(ServerRequest request) {
        return read(request.headers().all(NAME, List::of));
    }

    public static Checked<Boolean> read(List<String> values) {
        if (values.isEmpty()) {
            return new Checked.Right<>(true);
        }
        return values.size() == 1 && values.getFirst().strip().equalsIgnoreCase("off")
                ? new Checked.Right<>(false)
                : new Checked.Wrong<>(Problems.duplicateGuardInvalid());
    }
}
