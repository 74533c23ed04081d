// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** Records which tokens were used, apart from the requests. A token's row is written at most every five minutes. One thread. */
public final class TokenUse {

    private final Database database;
    private final Merchants merchants;

    public TokenUse(Database database, Merchants merchants) {
        this.database = database;
        this.merchants = merchants;
    }

    /** Returns how many tokens were used since the last call. */
    public int runOnce() {
        Collection<ByteBuffer> used = merchants.takeUsed();
        if (!used.isEmpty()) {
            database.inTransaction(connection -> write(connection, used));
        }
        return used.size();
    }

    private static final String WRITE = "SELECT tokens_were_used(?)";

    private static boolean write(Connection connection, Collection<ByteBuffer> digests) throws SQLException {
        return Sql.any(connection, WRITE,
                connection.createArrayOf("bytea", digests.stream().map(ByteBuffer::array).toArray(byte[][]::new)));
    }
}
