// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.notifications.Claimed;
import java.util.List;

/**
 * A claimed delivery: one try of one event at one endpoint.
 *
 * @param sealedSecrets that are valid now, the newest first
 */
record Delivery(String id, String endpoint, String url, String body, int attempt, long fence, List<byte[]> sealedSecrets)
        implements
            Claimed {

    @Override
    public String named() {
        return "Webhook %s to endpoint %s".formatted(id, endpoint);
    }
}
