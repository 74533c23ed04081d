// SPDX-License-Identifier: Apache-2.0
/**
 * Payments that come as records on a merchant's Kafka topic, and the topic that says which of them were refused.
 * Knows how one payment is accepted, and no HTTP.
 */
package io.chargeonce.ingest.intake;
