// SPDX-License-Identifier: Apache-2.0
/** Records from Kafka to a handler and back: bytes, keys, offsets and due times. Knows nothing of payments. */
package io.chargeonce.kafka;
