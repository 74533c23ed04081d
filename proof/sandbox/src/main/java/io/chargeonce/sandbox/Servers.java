// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

/** A Kafka and a Postgres that all tests of a JVM share; each is started when it is first asked for. Any thread. */
interface Servers {

    /** What clients take as {@code bootstrap.servers}. */
    String bootstrapServers();

    /** JDBC URL of a database of that name, user included. */
    String jdbcUrl(String database);
}
