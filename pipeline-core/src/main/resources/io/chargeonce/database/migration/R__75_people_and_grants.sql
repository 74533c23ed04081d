-- SPDX-License-Identifier: Apache-2.0
-- People's own logins, and whether all roles have the rights that they should have.

-- What a session of this login may hold without going on: a transaction that nothing is done in, and, for a login that people use, a
-- statement that never ends and a session that was forgotten. Services limit their statements themselves. Only a default: a session may set
-- another. For the owner.
CREATE OR REPLACE FUNCTION bound_sessions(login text, of_people boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    bound text[];
BEGIN
    FOREACH bound SLICE 1 IN ARRAY ARRAY[['idle_in_transaction_session_timeout', '30s']]
            || CASE WHEN of_people THEN ARRAY[['statement_timeout', '10min'], ['idle_session_timeout', '12h']] END LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login AND array_to_string(bound, '=') = ANY (rolconfig)) THEN
            EXECUTE format('ALTER ROLE %I SET %I = %L', login, bound[1], bound[2]);
        END IF;
    END LOOP;
END $$;

-- Adds and removes a person's own login. For the owner, by "migrate --operator".
CREATE OR REPLACE FUNCTION add_person(name text, of_role text) RETURNS void LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO person (login, role) VALUES (name, of_role) ON CONFLICT DO NOTHING;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
        PERFORM bound_sessions(name, true);
    END IF;
    EXECUTE format('GRANT %I TO %I', of_role, name);
    PERFORM append_audit(NULL, NULL, ARRAY['person.added'], ARRAY['person'], ARRAY[name], NULL,
                         ARRAY[json_build_object('role', of_role)::text], NULL);
END $$;

CREATE OR REPLACE FUNCTION remove_person(name text) RETURNS void LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone text;
BEGIN
    FOR gone IN DELETE FROM person WHERE login = name RETURNING role LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('REVOKE %I FROM %I', gone, name);
        END IF;
        PERFORM append_audit(NULL, NULL, ARRAY['person.removed'], ARRAY['person'], ARRAY[name], NULL,
                             ARRAY[json_build_object('role', gone)::text], NULL);
    END LOOP;
END $$;

-- A sign of each password of our logins, which changes with it. Each login may change its own. Only where the owner may look at passwords,
-- as a superuser, or after GRANT SELECT (rolname, rolpassword) ON pg_authid.
CREATE OR REPLACE FUNCTION password_signs() RETURNS TABLE (login name, sign text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    IF has_column_privilege('pg_authid', 'rolpassword', 'SELECT') AND has_column_privilege('pg_authid', 'rolname', 'SELECT') THEN
        RETURN QUERY SELECT rolname, left(encode(sha256(convert_to(coalesce(rolpassword, 'none'), 'UTF8')), 'hex'), 8) FROM pg_authid;
    END IF;
END $$;

-- What all roles but the owner may do in this schema, from Postgres's catalog, which settings and passwords the roles have (each may change
-- its own), and which triggers are off. Listed people may come and go, and so may parts of the audit log.
CREATE OR REPLACE FUNCTION current_grants() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    WITH ours AS (
        SELECT oid, rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles
         WHERE rolname IN ('chargeonce_ingest', 'chargeonce_charge', 'chargeonce_retry', 'chargeonce_dlq_reader', 'chargeonce_dlq_operator',
                           'chargeonce_dlq_unmask', 'chargeonce_eraser', 'chargeonce_merchant_admin', 'chargeonce_webhooks',
                           'chargeonce_receipts', 'chargeonce_reconciler', 'chargeonce_bank_files')
    ), object AS (
        SELECT relname::text AS name, relacl AS acl, relowner AS owner FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT format('%s (%s)', relname, attname), attacl, relowner
          FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT format('%s()', proname), coalesce(proacl, acldefault('f', proowner)), proowner
          FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace
         UNION ALL
        SELECT 'the schema', nspacl, nspowner FROM pg_namespace WHERE nspname = 'chargeonce'
    )
    SELECT DISTINCT format('%s%s on %s to %s', privilege_type, CASE WHEN is_grantable THEN ' with the right to grant it' END, name,
                           CASE grantee WHEN 0 THEN 'everyone' ELSE pg_get_userbyid(grantee) END)
      FROM object, aclexplode(acl) WHERE grantee <> owner
     UNION
    SELECT format('membership of %s in %s', pg_get_userbyid(member), pg_get_userbyid(roleid))
      FROM pg_auth_members
     WHERE (member IN (SELECT oid FROM ours) OR roleid IN (SELECT oid FROM ours))
       AND NOT EXISTS (SELECT FROM person WHERE login = pg_get_userbyid(member) AND role = pg_get_userbyid(roleid) AND NOT admin_option)
     UNION
    SELECT format('%s of %s', attribute, rolname)
      FROM ours, LATERAL (VALUES ('SUPERUSER', rolsuper), ('CREATEDB', rolcreatedb), ('CREATEROLE', rolcreaterole),
                                 ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) AS has (attribute, it) WHERE it
     UNION
    SELECT format('setting %s of %s', setting, rolname)
      FROM ours JOIN pg_db_role_setting ON setrole = ours.oid, unnest(setconfig) AS setting
     WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
     UNION
    SELECT format('password %s of %s', sign, rolname) FROM ours JOIN password_signs() ON login = rolname
     UNION
    SELECT format('trigger %s of %s switched off', tgname, relname)
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = 'chargeonce'::regnamespace AND NOT tgisinternal AND tgenabled <> 'O'
     UNION
    SELECT format('no row-level security of %s', relname)
      FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relname IN ('outbox', 'idempotency_key') AND NOT relrowsecurity
     UNION
    SELECT format('policy %s of %s for %s to %s: %s', policyname, tablename, cmd, roles,
                  regexp_replace(concat_ws(' and ', qual, with_check), '\s+', ' ', 'g'))
      FROM pg_policies WHERE schemaname = 'chargeonce'
$$;

-- A password is intended if it was set now, or the first that is seen.
CREATE OR REPLACE FUNCTION these_grants_are_intended(set_now text[]) RETURNS void LANGUAGE sql SET search_path = chargeonce, pg_temp AS $$
    DELETE FROM intended_grant WHERE line NOT LIKE 'password %' OR split_part(line, ' of ', 2) = ANY (set_now);
    INSERT INTO intended_grant SELECT * FROM current_grants() AS its (line)
     WHERE its.line NOT LIKE 'password %'
        OR NOT EXISTS (SELECT FROM intended_grant AS old
                        WHERE old.line LIKE 'password %' AND split_part(old.line, ' of ', 2) = split_part(its.line, ' of ', 2));
$$;

CREATE OR REPLACE FUNCTION drifted_grants() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT 'too much: ' || line FROM (SELECT * FROM current_grants() EXCEPT SELECT line FROM intended_grant) AS more (line)
     WHERE EXISTS (SELECT FROM intended_grant)
     UNION ALL
    SELECT 'missing: ' || line FROM (SELECT line FROM intended_grant EXCEPT SELECT * FROM current_grants()) AS less (line)
$$;
