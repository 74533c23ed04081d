// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.methods;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A stored payment method as its merchant sees it: which PSPs have a token, and no token. */
record StoredMethod(String id, String customer, List<String> psps, byte[] fingerprint, Instant storedAt, Optional<Instant> detachedAt) {

    boolean isFrom(MethodBody.NewMethod request) {
        return MessageDigest.isEqual(fingerprint, request.fingerprint());
    }

    Map<String, Object> json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", id);
        json.put("customer", customer);
        json.put("psps", psps);
        json.put("created_at", storedAt.toString());
        detachedAt.ifPresent(at -> json.put("detached_at", at.toString()));
        return json;
    }
}
