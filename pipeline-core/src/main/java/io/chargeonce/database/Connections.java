// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/** Lends connections and takes them back. Any thread. */
public interface Connections extends AutoCloseable {

    /** Lends one until the work returns. */
    <T> T lend(Database.Work<T> work) throws SQLException;

    @Override
    void close();
}
