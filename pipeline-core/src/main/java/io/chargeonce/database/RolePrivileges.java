// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;

/**
 * Powers that a role has beyond its grants: attributes, memberships, server settings that it may change, and its own settings. A role can
 * give itself settings: without synchronous commits it could lose a stored payment. Our roles have none of these.
 */
final class RolePrivileges {

    /** @param takenBackBy the statement that revokes it */
    private record Power(String what, String takenBackBy) {}

    private RolePrivileges() {}

    private static final String READ = """
            SELECT format('%s from %s', attribute, rolname), format('ALTER ROLE %I NO%s', rolname, attribute)
              FROM pg_roles, LATERAL (VALUES ('SUPERUSER', rolsuper), ('CREATEDB', rolcreatedb), ('CREATEROLE', rolcreaterole),
                                             ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) AS has (attribute, it)
             WHERE rolname = ANY (?) AND it
             UNION ALL
            SELECT format('membership in %s from %s', pg_get_userbyid(roleid), pg_get_userbyid(member)),
                   format('REVOKE %I FROM %I GRANTED BY %I CASCADE', pg_get_userbyid(roleid), pg_get_userbyid(member),
                          pg_get_userbyid(grantor))
              FROM pg_auth_members
             WHERE pg_get_userbyid(member) = ANY (?)
                   -- Amazon RDS: who is its member logs in by a token. It has no rights, and none may come by it.
                   AND (pg_get_userbyid(roleid) <> 'rds_iam' OR admin_option
                        OR EXISTS (SELECT FROM pg_auth_members AS further WHERE further.member = pg_auth_members.roleid)
                        OR EXISTS (SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = roleid
                                                             AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())))
                OR pg_get_userbyid(roleid) = ANY (?)
                   -- Who makes a role is its member, so that it can change it.
                   AND member NOT IN (current_user::regrole, (SELECT nspowner FROM pg_namespace WHERE nspname = 'chargeonce'))
                   AND NOT (NOT admin_option AND EXISTS (SELECT FROM chargeonce.person
                                                          WHERE login = pg_get_userbyid(member) AND role = pg_get_userbyid(roleid)))
             UNION ALL
            SELECT format('%s on parameter %s from %s', privilege_type, parname, pg_get_userbyid(grantee)),
                   format('REVOKE ALL ON PARAMETER %I FROM %I CASCADE', parname, pg_get_userbyid(grantee))
              FROM pg_parameter_acl, aclexplode(paracl) WHERE pg_get_userbyid(grantee) = ANY (?)
             UNION ALL
            SELECT format('setting %s from %s', setting, rolname),
                   format('ALTER ROLE %I %s RESET %I', rolname, 'IN DATABASE ' || quote_ident(datname), split_part(setting, '=', 1))
              FROM pg_db_role_setting JOIN pg_roles ON pg_roles.oid = setrole LEFT JOIN pg_database ON pg_database.oid = setdatabase,
                   unnest(setconfig) AS setting
             -- Those that bound_sessions gives them.
             WHERE rolname = ANY (?)
               AND NOT (setdatabase = 0 AND setting IN ('idle_in_transaction_session_timeout=30s', 'statement_timeout=10min',
                                                        'idle_session_timeout=12h'))
            """;

    /**
     * @param gone the revoked powers
     * @param left powers that this user may not revoke, each with the statement for a superuser
     */
    record TakenBack(List<String> gone, List<String> left) {}

    static TakenBack takeBack(Connection connection, List<String> roles) throws SQLException {
        List<Power> found = read(connection, roles);
        for (Power power : found) {
            Savepoint before = connection.setSavepoint();
            try (var statement = connection.createStatement()) {
                statement.execute(power.takenBackBy);
            } catch (SQLException e) {
                // Reported below, because the power is still there.
                connection.rollback(before);
            }
        }
        List<Power> left = read(connection, roles);
        return new TakenBack(found.stream().filter(power -> !left.contains(power)).map(Power::what).toList(),
                left.stream().map(power -> "%s; a superuser must run: %s".formatted(power.what, power.takenBackBy)).toList());
    }

    private static List<Power> read(Connection connection, List<String> roles) throws SQLException {
        return Sql.all(connection, READ, row -> new Power(row.getString(1), row.getString(2)), roles, roles, roles, roles, roles);
    }
}
