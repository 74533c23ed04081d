// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.session.Session;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.http.Answer;
import io.chargeonce.wire.PaymentJson;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Sign-in, sign-out, and who is signed in.
 *
 * @param clock of others: it tells when a session ends
 */
record SessionRoutes(Sessions sessions, Guard guard, InstantSource clock) {

    Answer signIn(byte[] body, InetAddress client) {
        Sessions.SignedIn in = sessions.signIn(token(body), client);
        Answer shown = show(in.session());
        var headers = new LinkedHashMap<>(shown.headers());
        headers.put("Set-Cookie", guard.setCookie(in.cookie()));
        return new Answer(200, headers, shown.body(), shown.outcome());
    }

    private static String token(byte[] body) {
        try {
            JsonNode token = PaymentJson.MAPPER.readTree(body).path("token");
            if (token.isString()) {
                return token.asString();
            }
        } catch (JacksonException malformed) {
            // Its message would quote the token.
            throw ConsoleProblems.noToken().refusal();
        }
        throw ConsoleProblems.noToken().refusal();
    }

    Answer show(Session session) {
        return ConsoleApi.json(200, session.json(clock.instant().plus(sessions.left(session))));
    }

    Answer signOut(String cookie) {
        sessions.end(cookie);
        return new Answer(204, Map.of("Set-Cookie", guard.removeCookie()), new byte[0], "ok");
    }
}
