// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.runtime.AuthenticationFailures;
import io.chargeonce.runtime.Sha256;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** Admits requests with a valid token, within the merchant's limit. The answer to a failed one is delayed. Any thread. */
public record FrontDoor(Merchants merchants, RateLimits limits, AuthenticationFailures failures) {

    /**
     * @param authorization the header's values, as many as were sent
     * @param client        the address at the other end of the connection
     */
    public Checked<Credential> admit(List<String> authorization, Scope scope, InetAddress client) {
        return switch (merchants.authenticate(authorization, scope, client)) {
            case Checked.Wrong<Credential> wrong -> {
                failures.failed(wrong.problem().slug(), client, named(authorization));
                yield wrong;
            }
            case Checked.Right<Credential> right -> limits.admits(right.value().merchant())
                    ? right
                    : new Checked.Wrong<>(Problems.tooManyRequests(right.value().merchant().requestsPerSecond().orElseThrow()));
        };
    }

    /** What may be logged: the name that a token of this digest would have. */
    private static Optional<String> named(List<String> authorization) {
        return authorization.stream().findFirst().map(value -> value.replaceFirst("(?i)^bearer +", "").strip())
                .map(token -> TokenTable.id(Sha256.of(token)));
    }
}
