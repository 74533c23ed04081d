// SPDX-License-Identifier: Apache-2.0
/** Takes the webhooks of PSPs and settles what they report. Knows the rows of payments, and no Kafka. */
package io.chargeonce.charge.webhook;
