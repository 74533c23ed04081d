// SPDX-License-Identifier: Apache-2.0
/**
 * A second pair of eyes on the pipeline, with Kafka Streams. It reads the pipeline's topics and decides nothing. It knows the records of
 * {@code wire} and nothing of the services, the ledger or the database.
 */
package io.chargeonce.console.witness;
