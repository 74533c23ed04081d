// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/**
 * Postgres could not be reached, or the connection broke. Whether a COMMIT on its way took effect is unknown. Repeat the whole transaction,
 * which must recognise its own earlier success.
 */
public final class DatabaseUnavailable extends RuntimeException {

    private static final long serialVersionUID = 1;

    DatabaseUnavailable(SQLException cause) {
        super("Postgres cannot be reached: " + cause.getMessage(), cause);
    }
}
