// SPDX-License-Identifier: Apache-2.0
/**
 * Webhooks to merchants: outcomes become deliveries, and deliveries become signed requests. {@code WebhookService} wires it.
 * May know the core and what senders have in common; nothing of receipts, of PSPs, of ingest or of the dead-letter queue.
 */
package io.chargeonce.notifications.webhook;
