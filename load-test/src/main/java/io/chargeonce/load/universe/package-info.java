// SPDX-License-Identifier: Apache-2.0
/**
 * A universe of its own for the services' code: one thread at a time, virtual time, a model of Kafka, PSPs and clients, and
 * the real SQL. Start reading at {@link io.chargeonce.load.universe.Universe}; {@link io.chargeonce.load.universe.Blocking} is
 * what the services call in place of the JDK.
 */
package io.chargeonce.load.universe;
