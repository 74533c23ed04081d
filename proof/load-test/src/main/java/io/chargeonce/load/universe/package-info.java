// SPDX-License-Identifier: Apache-2.0
/**
 * A universe of its own for the services' code: processes, PSPs, clients, people and faults, on the kernel and the model of Kafka
 * below. Start reading at {@link io.chargeonce.load.universe.Universe}.
 */
package io.chargeonce.load.universe;
