// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/** Where connections come from and go back to. Safe for any thread. */
public interface Connections extends AutoCloseable {

    /** Lends one for as long as the work takes. */
    <T> T lend(Database.Work<T> work) throws SQLException;

    @Override
    void close();
}
