// SPDX-License-Identifier: Apache-2.0
/**
 * Turns and time of a universe, what the services call in place of the JDK, and the real Postgres, which tells that time.
 * Knows no model of Kafka, PSPs or clients, and no fault. Start reading at {@link io.chargeonce.load.universe.kernel.Kernel}.
 */
package io.chargeonce.load.universe.kernel;
