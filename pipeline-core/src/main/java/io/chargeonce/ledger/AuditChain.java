package io.chargeonce.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Checks that nobody has changed, added or taken away a record between others. A missing last record does not show. */
public final class AuditChain {

    private AuditChain() {}

    /** A record that does not follow from the one before it about the same resource. */
    public record Broken(String resourceId, long auditId) {}

    private static final String BROKEN = """
            SELECT resource_id, min(audit_id)
              FROM (SELECT resource_id, audit_id, hash, prev_hash, audit_record_hash(entry) AS computed,
                           lag(hash) OVER (PARTITION BY resource_id ORDER BY audit_id) AS before
                      FROM audit_record AS entry) AS chain
             WHERE hash IS DISTINCT FROM computed OR prev_hash IS DISTINCT FROM before
             GROUP BY resource_id ORDER BY 2 LIMIT ?
            """;

    /** The first broken record of each resource, over the whole log, which takes its time. */
    public static List<Broken> broken(Connection connection, int limit) throws SQLException {
        try (var statement = connection.prepareStatement(BROKEN)) {
            statement.setInt(1, limit);
            var broken = new ArrayList<Broken>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    broken.add(new Broken(result.getString(1), result.getLong(2)));
                }
            }
            return broken;
        }
    }

    private static final String FIRST_BROKEN = """
            SELECT min(audit_id)
              FROM (SELECT audit_id, hash, prev_hash, audit_record_hash(entry) AS computed,
                           lag(hash) OVER (ORDER BY audit_id) AS before
                      FROM audit_record AS entry WHERE resource_id = ?) AS chain
             WHERE hash IS DISTINCT FROM computed OR prev_hash IS DISTINCT FROM before
            """;

    /** The first record about this resource that does not follow from the one before it; empty if all do. */
    public static OptionalLong firstBroken(Connection connection, String resourceId) throws SQLException {
        try (var statement = connection.prepareStatement(FIRST_BROKEN)) {
            statement.setString(1, resourceId);
            try (var result = statement.executeQuery()) {
                result.next();
                long id = result.getLong(1);
                return result.wasNull() ? OptionalLong.empty() : OptionalLong.of(id);
            }
        }
    }
}
