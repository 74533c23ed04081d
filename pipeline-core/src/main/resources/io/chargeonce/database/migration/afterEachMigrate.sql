-- SPDX-License-Identifier: Apache-2.0
-- Postgres lets everyone call a new function; here only those may whom roles.sql names. Flyway runs this after each migration and within
-- its transaction, so no function is everyone's for a moment.
REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA chargeonce FROM PUBLIC;
