// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Errors;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.session.Session;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.http.Answer;
import io.chargeonce.http.AnswerSender;
import io.chargeonce.http.BodyBytes;
import io.chargeonce.wire.PaymentJson;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The console's HTTP interface, and what every request passes first. Each request on its own thread. */
final class ConsoleApi implements HttpService {

    private static final int LARGEST_BODY = 64 * 1024;

    private final Guard guard;
    private final Clients clients;
    private final Sessions sessions;
    private final List<Routes> routes;
    private final SessionRoutes own;
    private final StaticFiles files = new StaticFiles();
    private final BodyBytes bodies;
    private final AnswerSender sender;
    private final ConsoleMeters meters;

    /** What one part of the interface answers. */
    interface Routes {
        void add(Rules rules);
    }

    /** Routes that need a session. */
    interface Rules {
        void get(String path, Function<Call, Answer> answer);

        void post(String path, Function<Call, Answer> answer);

        void delete(String path, Function<Call, Answer> answer);

        /** An answer of unknown length. */
        void stream(String path, Streaming streaming);
    }

    /** Sends its answer itself. What it throws before the first byte is answered as a problem. */
    interface Streaming {
        void send(Call call, ServerResponse response);
    }

    ConsoleApi(Guard guard, Clients clients, Sessions sessions, SessionRoutes own, List<Routes> routes, BodyBytes bodies,
               AnswerSender sender,
               ConsoleMeters meters) {
        this.guard = guard;
        this.clients = clients;
        this.sessions = sessions;
        this.own = own;
        this.routes = List.copyOf(routes);
        this.bodies = bodies;
        this.sender = sender;
        this.meters = meters;
    }

    static Answer json(int status, Map<String, ?> document) {
        return new Answer(status, Map.of("Content-Type", "application/json"), PaymentJson.write(document), "ok");
    }

    @Override
    public void routing(HttpRules rules) {
        rules.post("/api/session", open("sign-in", request -> {
            guard.checkOrigin(request);
            return own.signIn(body(request), clients.of(request));
        }));
        rules.get("/api/session", open("session", request -> {
            guard.checkSite(request);
            Session session = session(request);
            return session.request(() -> own.show(session));
        }));
        rules.delete("/api/session", open("sign-out", request -> {
            guard.checkOrigin(request);
            guard.checkCsrf(request, session(request));
            return own.signOut(guard.cookie(request).orElseThrow());
        }));
        rules.any("/api/session", open("other", request -> ConsoleProblems.methodNotAllowed("GET, POST, DELETE").answer()));
        routes.forEach(part -> part.add(new Signed(rules)));
        rules.any("/api", open("other", request -> ConsoleProblems.notFound().answer()));
        rules.any("/api/{+}", open("other", request -> ConsoleProblems.notFound().answer()));
        rules.get("/{+}", page());
        rules.get("/", page());
        rules.any(open("other", request -> ConsoleProblems.methodNotAllowed("GET").answer()));
    }

    private Handler page() {
        return open("page", request -> files.answer(request.path().path(), String.join(",",
                request.headers().all(HeaderNames.IF_NONE_MATCH, List::of))));
    }

    private final class Signed implements Rules {

        private final HttpRules rules;

        Signed(HttpRules rules) {
            this.rules = rules;
        }

        @Override
        public void get(String path, Function<Call, Answer> answer) {
            rules.get(path, open(path, request -> signed(request, false, answer)));
        }

        @Override
        public void post(String path, Function<Call, Answer> answer) {
            rules.post(path, open(path, request -> signed(request, true, answer)));
        }

        @Override
        public void delete(String path, Function<Call, Answer> answer) {
            rules.delete(path, open(path, request -> signed(request, true, answer)));
        }

        @Override
        public void stream(String path, Streaming streaming) {
            rules.get(path, (request, response) -> {
                try {
                    guard.checkHost(request);
                    guard.checkSite(request);
                    headers(request).forEach((name, value) -> response.header(name, value));
                    streaming.send(new Call(request, session(request), clients.of(request), new byte[0]), response);
                } catch (RuntimeException e) {
                    if (response.isSent()) {
                        throw e;
                    }
                    sender.send(request, response, meters.timed(path, () -> withHeaders(request, Errors.problem(e).answer())));
                }
            });
        }
    }

    private Answer signed(ServerRequest request, boolean changes, Function<Call, Answer> answer) {
        Session session = session(request);
        guard.checkSite(request);
        if (changes) {
            guard.checkOrigin(request);
            guard.checkCsrf(request, session);
        }
        byte[] body = changes ? body(request) : new byte[0];
        return session.request(() -> answer.apply(new Call(request, session, clients.of(request), body)));
    }

    private Handler open(String route, Function<ServerRequest, Answer> answer) {
        return (request, response) -> sender.send(request, response, meters.timed(route, () -> withHeaders(request, guarded(() -> {
            guard.checkHost(request);
            return answer.apply(request);
        }))));
    }

    private static Answer guarded(java.util.function.Supplier<Answer> answer) {
        try {
            return answer.get();
        } catch (RuntimeException e) {
            return Errors.problem(e).answer();
        }
    }

    private static Answer withHeaders(ServerRequest request, Answer answer) {
        var all = new LinkedHashMap<>(headers(request));
        all.putAll(answer.headers());
        return new Answer(answer.status(), all, answer.body(), answer.outcome());
    }

    private static Map<String, String> headers(ServerRequest request) {
        var all = new LinkedHashMap<>(Guard.HEADERS);
        if (request.path().path().startsWith("/api")) {
            all.put("Cache-Control", "no-store");
        }
        return all;
    }

    private Session session(ServerRequest request) {
        return guard.cookie(request).flatMap(sessions::find).orElseThrow(() -> ConsoleProblems.noSession().refusal());
    }

    private byte[] body(ServerRequest request) {
        if (request.content().hasEntity() && !BodyBytes.hasType(request, "application/json")) {
            throw ConsoleProblems.notJson().refusal();
        }
        return bodies.read(request, LARGEST_BODY).orElseThrow(() -> ConsoleProblems.tooLarge().refusal());
    }
}
