// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What our roles, and PUBLIC, may do with the schema and its objects, according to Postgres's catalog. */
final class Grants {

    /**
     * One granted right.
     *
     * @param what   such as UPDATE
     * @param column empty if the right is not on a column
     * @param on     the object, with its preposition
     */
    private record Grant(String what, String column, String on, String to) {}

    private final Set<Grant> all;

    private Grants(Set<Grant> all) {
        this.all = all;
    }

    private static final String READ = """
            WITH acl AS (
                SELECT 'on ' || relname AS on_what, '' AS column, relacl AS acl
                  FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace
                 UNION ALL
                SELECT 'on ' || relname, attname, attacl
                  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'chargeonce'::regnamespace
                 UNION ALL
                SELECT 'on function ' || proname, '', coalesce(proacl, acldefault('f', proowner))
                  FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace
                 UNION ALL
                SELECT 'on schema ' || nspname, '', nspacl FROM pg_namespace WHERE nspname = 'chargeonce'
                 UNION ALL
                SELECT 'on all that is made ' || CASE WHEN defaclnamespace = 0 THEN 'anywhere' ELSE 'in the schema' END, '', defaclacl
                  FROM pg_default_acl
                 WHERE defaclnamespace IN (0, 'chargeonce'::regnamespace) AND defaclrole = current_user::regrole
            ), granted AS (
                SELECT privilege_type || CASE WHEN is_grantable THEN ' and the right to grant it' ELSE '' END AS what, acl.column, on_what,
                       CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee) END AS grantee
                  FROM acl, aclexplode(acl)
                 UNION ALL
                SELECT privilege_type, '', 'on the database', pg_get_userbyid(grantee)
                  FROM pg_database, aclexplode(datacl)
                 WHERE datname = current_database() AND privilege_type IN ('CREATE', 'TEMPORARY')
            )
            SELECT DISTINCT what, "column", on_what, grantee FROM granted
             WHERE grantee = ANY (?) OR grantee = 'PUBLIC'
             ORDER BY grantee, on_what, what, "column"
            """;

    static Grants read(Connection connection, List<String> roles) throws SQLException {
        return new Grants(new LinkedHashSet<>(Sql.all(connection, READ,
                row -> new Grant(row.getString(1), row.getString(2), row.getString(3), row.getString(4)), roles)));
    }

    /** A line for each right that is here but not in {@code later}; the columns of a table share a line. */
    List<String> goneIn(Grants later) {
        Map<Grant, String> lines = new LinkedHashMap<>();
        all.stream().filter(grant -> !later.all.contains(grant)).forEach(grant -> lines.merge(new Grant(grant.what, "", grant.on, grant.to),
                grant.column, (columns, next) -> columns + ", " + next));
        return lines.entrySet().stream().map(line -> "%s%s %s from %s".formatted(line.getKey().what,
                line.getValue().isEmpty() ? "" : " (" + line.getValue() + ")", line.getKey().on, line.getKey().to)).toList();
    }
}
