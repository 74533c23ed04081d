// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.session.Session;
import io.chargeonce.runtime.Address;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Refuses what does not come from the console's own page. A page of another site can send requests here, and with a name that it owns and
 * lets point to this machine (DNS rebinding) it could read the answers too.
 *
 * @param address where the console listens
 */
record Guard(Address address, boolean tls) {

    static final String COOKIE = "chargeonce_console";
    private static final HeaderName CSRF = HeaderNames.create("X-CSRF-Token");
    private static final HeaderName FETCH_SITE = HeaderNames.create("Sec-Fetch-Site");

    static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "X-Frame-Options", "DENY",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");

    /** Of every request. */
    void checkHost(ServerRequest request) {
        if (!address.isMeantBy(request.headers().value(HeaderNames.HOST).orElse(""))) {
            throw ConsoleProblems.otherHost().refusal();
        }
    }

    /**
     * Of every request with a session. A browser sends the cookie also for a page of this machine's other ports, which is the same site; it
     * could read nothing, but make the console work and the audit log name the person.
     */
    void checkSite(ServerRequest request) {
        if (request.headers().value(FETCH_SITE).filter(site -> !List.of("same-origin", "none").contains(site)).isPresent()) {
            throw ConsoleProblems.otherOrigin().refusal();
        }
    }

    /** Of a request that changes something. */
    void checkOrigin(ServerRequest request) {
        String host = request.headers().value(HeaderNames.HOST).orElse("");
        Optional<String> origin = request.headers().value(HeaderNames.ORIGIN);
        checkSite(request);
        if (origin.filter(from -> !from.equalsIgnoreCase((tls ? "https://" : "http://") + host)).isPresent()) {
            throw ConsoleProblems.otherOrigin().refusal();
        }
    }

    void checkCsrf(ServerRequest request, Session session) {
        String sent = request.headers().value(CSRF).orElse("");
        if (!MessageDigest.isEqual(sent.getBytes(StandardCharsets.UTF_8), session.csrf().getBytes(StandardCharsets.UTF_8))) {
            throw ConsoleProblems.noCsrf().refusal();
        }
    }

    Optional<String> cookie(ServerRequest request) {
        return request.headers().cookies().all(COOKIE, List::of).stream().findFirst();
    }

    String setCookie(String value) {
        return COOKIE + "=" + value + "; Path=/; HttpOnly; SameSite=Strict" + (tls ? "; Secure" : "");
    }

    String removeCookie() {
        return setCookie("") + "; Max-Age=0";
    }
}
