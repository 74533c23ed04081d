// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblem;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.http.Answer;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;

/** Answers requests that reached no route, or failed in one, with a problem that repeats nothing of the request. */
final class ProblemHandler implements DirectHandler {

    @Override
    public TransportResponse handle(TransportRequest request, EventType type, Status status, ServerResponseHeaders headers,
                                    String message) {
        Answer answer = problem(request, type, status).answer();
        var response = TransportResponse.builder().status(Status.create(answer.status())).headers(headers);
        Guard.HEADERS.forEach((name, value) -> response.header(HeaderNames.create(name), value));
        answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
        return response.entity(answer.body()).build();
    }

    private static ConsoleProblem problem(TransportRequest request, EventType type, Status status) {
        return switch (type) {
            // Without a path there was no request: the bytes are not HTTP.
            case INTERNAL_ERROR -> request.path().isEmpty() ? ConsoleProblems.badHttp(400) : ConsoleProblems.internal();
            case PAYLOAD_TOO_LARGE -> ConsoleProblems.tooLarge();
            case BAD_REQUEST, FORBIDDEN, HTTP_VERSION_NOT_SUPPORTED, OTHER ->
                status.code() == Status.SERVICE_UNAVAILABLE_503.code() ? ConsoleProblems.overloaded()
                        : ConsoleProblems.badHttp(status.code());
        };
    }
}
