// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;

/**
 * Sends answers. The rest of an unread body is read if it is short, so that the connection can be used again; otherwise the connection
 * is closed after the answer. It is also closed if the client does not take its answer, and when the service shuts down. Any thread.
 */
public final class AnswerSender {

    /** More than this of an unread body is not worth reading. */
    private static final long WORTH_READING = 1024 * 1024;

    private final Deadline answers;
    private final Deadline leftovers;
    private final Drain draining;

    /**
     * @param answers   how long a client may take to read its answer
     * @param leftovers how long it may take to send the rest of an unread body
     */
    public AnswerSender(Deadline answers, Deadline leftovers, Drain draining) {
        this.answers = answers;
        this.leftovers = leftovers;
        this.draining = draining;
    }

    public void send(ServerRequest request, ServerResponse response, Answer answer) {
        boolean unread = request.content().hasEntity() && !request.content().consumed();
        boolean drain = unread && request.headers().contentLength().orElse(Long.MAX_VALUE) <= WORTH_READING
                && !request.headers().contains(HeaderNames.EXPECT);
        response.status(answer.status());
        answer.headers().forEach((name, value) -> response.header(name, value));
        if (unread && !drain || draining.hasBegun()) {
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
        answers.within(() -> {
            response.send(answer.body());
            return true;
        });
        if (drain) {
            leftovers.within(() -> drain(request));
        }
    }

    private static long drain(ServerRequest request) {
        try (InputStream content = request.content().inputStream()) {
            return content.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException | RuntimeException e) {
            throw new CloseConnectionException("the client did not finish its body", e);
        }
    }
}
