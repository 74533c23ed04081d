// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/**
 * Postgres could not be reached or broke off. Whether a COMMIT under way took effect is not known: repeat the whole
 * transaction, which must be written to recognise its own earlier success.
 */
public final class DatabaseUnavailable extends RuntimeException {

    private static final long serialVersionUID = 1;

    DatabaseUnavailable(SQLException cause) {
        super("Postgres cannot be reached: " + cause.getMessage(), cause);
    }
}
