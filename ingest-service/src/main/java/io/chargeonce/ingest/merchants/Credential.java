// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.text.AddressRange;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An issued token, as Postgres knew it at most a few seconds ago.
 *
 * @param digest of the token
 * @param from   where it may come from; empty is anywhere
 */
public record Credential(ByteBuffer digest, Merchant merchant, Validity validity, Set<Scope> scopes, List<AddressRange> from) {

    enum Validity { VALID, EXPIRED, REVOKED }

    /** Why it cannot be used for this; empty if it can. */
    Optional<Problem> refusal(Scope scope, InetAddress client) {
        return switch (validity) {
            case EXPIRED -> Optional.of(Problems.tokenExpired());
            case REVOKED -> Optional.of(Problems.tokenRevoked());
            case VALID ->
                !from.isEmpty() && from.stream().noneMatch(range -> range.holds(client)) ? Optional.of(Problems.addressNotAllowed())
                        : scopes.contains(scope) ? Optional.empty() : Optional.of(Problems.scopeMissing(scope.tag()));
        };
    }
}
