// SPDX-License-Identifier: Apache-2.0
/** Connections to Kafka, and the settings of clients that carry a guarantee. Knows nothing of payments. */
package io.chargeonce.kafka;
