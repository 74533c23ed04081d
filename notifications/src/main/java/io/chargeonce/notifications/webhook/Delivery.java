// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.util.List;

/**
 * A claimed delivery: one try of one event at one endpoint.
 *
 * @param webhookId     the same for each try
 * @param attempt       this try's number, from 1
 * @param fence         of this claim; a later claim and a redelivery raise it
 * @param sealedSecrets that are valid now, the newest first
 */
record Delivery(String webhookId, String endpoint, String url, String body, int attempt, long fence,
        List<byte[]> sealedSecrets) {}
