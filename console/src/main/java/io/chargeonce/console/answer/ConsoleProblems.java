// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

import java.time.Duration;

/** What the console says when it says no. */
public final class ConsoleProblems {

    private ConsoleProblems() {}

    public static ConsoleProblem noSession() {
        return ConsoleProblem.of(401, "signed-out", "Signed out", "Your session has ended, or you have not signed in yet.",
                "Sign in with your token, LOGIN:PASSWORD.");
    }

    public static ConsoleProblem wrongToken() {
        return ConsoleProblem.of(401, "wrong-token", "Wrong token", "Postgres does not accept this login with this password.",
                "Check the token: it is the login, a colon, and the login's password.");
    }

    public static ConsoleProblem noToken() {
        return ConsoleProblem.of(400, "no-token", "No token", "The token is not LOGIN:PASSWORD.",
                "Type the login's name, a colon, and its password.");
    }

    public static ConsoleProblem notForPeople() {
        return ConsoleProblem.of(403, "no-rights", "No rights",
                "This login has no role for the dead-letter queue.",
                "Have the owner run: chargeonce migrate --reader LOGIN, or --operator LOGIN.");
    }

    public static ConsoleProblem owner() {
        return ConsoleProblem.of(403, "owner", "Not for the owner",
                "This login is a superuser of Postgres: the schema's rules do not apply to it.",
                "Sign in with a login of your own: chargeonce migrate --operator LOGIN makes one.");
    }

    public static ConsoleProblem unchecked() {
        return ConsoleProblem.of(403, "password-unchecked", "The password was not checked",
                "Postgres accepts this login from the console without a password, so a token proves nothing.",
                "Have the owner of Postgres require scram-sha-256 for this login in pg_hba.conf.");
    }

    public static ConsoleProblem tooManyFailures(Duration wait) {
        return ConsoleProblem.of(429, "too-many-failures", "Too many failed sign-ins", "Too many sign-ins from this network have failed.",
                "Wait, then try again with the right token.").with("Retry-After", "" + Math.max(1, wait.toSeconds()));
    }

    public static ConsoleProblem tooManySessions() {
        return ConsoleProblem.of(429, "too-many-sessions", "Too many sessions", "All sessions of the console are in use.",
                "Try again in a minute, or ask somebody to sign out.").with("Retry-After", "60");
    }

    public static ConsoleProblem tooManyAtOnce() {
        return ConsoleProblem.of(429, "too-many-at-once", "Too many requests at once", "This session has too many requests under way.",
                "Wait until one of them has its answer.").with("Retry-After", "1");
    }

    public static ConsoleProblem noCsrf() {
        return ConsoleProblem.of(403, "csrf", "Not from the page", "The request does not have the session's CSRF token.",
                "Reload the page. GET /api/session has the token, and X-CSRF-Token carries it.");
    }

    public static ConsoleProblem otherOrigin() {
        return ConsoleProblem.of(403, "other-origin", "Not from the page", "The request comes from a page of another site.",
                "Open the console itself, and do it there.");
    }

    public static ConsoleProblem otherHost() {
        return ConsoleProblem.of(421, "other-host", "Another host", "The console listens on this machine only, and this is not its name.",
                "Open it as http://127.0.0.1 or http://localhost, with its port.");
    }

    public static ConsoleProblem notFound() {
        return ConsoleProblem.of(404, "not-found", "Not found", "There is nothing here.", "Check the address.");
    }

    public static ConsoleProblem noSuch(String what) {
        return ConsoleProblem.of(404, "not-found", "Not found", what, "Check the name; /api/find looks for a payment by any of its names.");
    }

    public static ConsoleProblem methodNotAllowed(String allowed) {
        return ConsoleProblem.of(405, "method", "Method not allowed", "This address does not take this method.", "Use " + allowed + ".")
                .with("Allow", allowed);
    }

    public static ConsoleProblem tooLarge() {
        return ConsoleProblem.of(413, "too-large", "Too large", "A request's body has at most 64 KiB.", "Name fewer ids, or use a filter.");
    }

    public static ConsoleProblem notJson() {
        return ConsoleProblem.of(415, "not-json", "Not JSON", "The body is not application/json.",
                "Send JSON, and say so in Content-Type.");
    }

    public static ConsoleProblem wrong(String detail) {
        return ConsoleProblem.of(400, "wrong", "Wrong request", detail, "Correct it and try again. Nothing was changed.");
    }

    public static ConsoleProblem badHttp(int status) {
        return ConsoleProblem.of(status, "bad-http", "Bad request", "The request is not well-formed HTTP.", "Check the client.");
    }

    public static ConsoleProblem needsHttp11() {
        return ConsoleProblem.of(505, "http-version", "HTTP version not supported", "A stream needs HTTP/1.1.", "Use HTTP/1.1.");
    }

    public static ConsoleProblem tooManyConnections() {
        return ConsoleProblem.of(429, "too-many-connections", "Too many connections", "This address has too many connections.",
                "Close some of them.");
    }

    public static ConsoleProblem overloaded() {
        return ConsoleProblem.of(503, "overloaded", "Overloaded", "Too many requests are waiting.", "Try again in a second.")
                .with("Retry-After", "1");
    }

    public static ConsoleProblem unavailable() {
        return ConsoleProblem.of(503, "postgres", "Postgres is away", "Postgres can't be reached.",
                "Try again; if it lasts, check CHARGEONCE_DATABASE_URL.").with("Retry-After", "2");
    }

    public static ConsoleProblem allConnectionsInUse() {
        return ConsoleProblem.of(503, "all-connections-in-use", "Busy", "All connections of the console to Postgres are in use.",
                "Try again in a moment; if it lasts, raise CHARGEONCE_CONSOLE_DATABASE_CONNECTIONS.").with("Retry-After", "2");
    }

    public static ConsoleProblem internal() {
        return ConsoleProblem.of(500, "bug", "Bug", "The console ran into a bug.",
                "The console's log says which. Nothing of this batch was changed.");
    }

    /** The set is another than the one that was shown. */
    public static ConsoleProblem changed(String detail) {
        return ConsoleProblem.of(409, "changed", "Changed in the meantime", detail,
                "Look at what is there now, and decide again. Nothing was changed.");
    }

    public static ConsoleProblem notNow(String detail, String next) {
        return ConsoleProblem.of(409, "not-now", "Not now", detail, next);
    }
}
