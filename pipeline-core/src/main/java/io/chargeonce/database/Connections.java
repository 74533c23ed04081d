// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;

/** Lends connections and takes them back. Any thread. */
public interface Connections extends AutoCloseable {

    /** Lends one until the work returns. */
    <T> T lend(Database.Work<T> work) throws SQLException;

    /** Counts what there is to count of a pool; nothing by default. */
    default void countedBy(MeterRegistry meters) {}

    @Override
    void close();
}
