// SPDX-License-Identifier: Apache-2.0
/**
 * A model of Kafka behind Kafka's own interfaces; one contract test holds it to the real broker's behaviour.
 * Knows the kernel alone; the faults that strike it come from outside.
 */
package io.chargeonce.load.universe.kafka;
