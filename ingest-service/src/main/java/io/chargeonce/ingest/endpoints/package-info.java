// SPDX-License-Identifier: Apache-2.0
/**
 * A merchant's webhook endpoints over HTTP, with the merchant's own token: read strictly, changed by functions in Postgres.
 * Knows tokens and how problems are answered, and sends no webhook.
 */
package io.chargeonce.ingest.endpoints;
