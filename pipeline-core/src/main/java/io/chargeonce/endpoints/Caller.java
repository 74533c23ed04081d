// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.ledger.AuditLog;
import java.util.Optional;

/** Who manages endpoints. Postgres decides what a caller may do: by the merchant's token, or by the session's login. */
public sealed interface Caller {

    /**
     * A person with the role for merchants.
     *
     * @param claim the client's own name for its user, kept beside the login in the audit log
     */
    record Person(String claim) implements Caller {}

    /** @param token the digest of the token that the merchant has sent; it manages only the endpoints of this merchant */
    record Merchant(String id, byte[] token) implements Caller {

        public Merchant {
            token = token.clone();
        }
    }

    /** NULL to Postgres, where there is none. */
    default Optional<byte[]> digest() {
        return switch (this) {
            case Person person -> Optional.empty();
            case Merchant merchant -> Optional.of(merchant.token.clone());
        };
    }

    default AuditLog.Actor actor() {
        return switch (this) {
            case Person person -> new AuditLog.Actor.Person(Optional.of(person.claim));
            case Merchant merchant -> new AuditLog.Actor.Service("merchant:" + merchant.id);
        };
    }
}
