// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Takes a request's body off the wire, never more of it than a payment request may have. Any thread. */
public final class RequestBody {

    private final Deadline deadline;

    public RequestBody(Deadline deadline) {
        this.deadline = deadline;
    }

    public Checked<byte[]> read(ServerRequest request, RequestForm form) {
        if (!hasType(request, "application/json")) {
            return new Checked.Wrong<>(Problems.notJson());
        }
        if (request.headers().contentLength().orElse(0) > Contract.LARGEST_BODY) {
            return new Checked.Wrong<>(Problems.tooLarge(form));
        }
        byte[] body = request.content().hasEntity() ? deadline.within(() -> bytes(request)) : new byte[0];
        return body.length > Contract.LARGEST_BODY ? new Checked.Wrong<>(Problems.tooLarge(form)) : new Checked.Right<>(body);
    }

    private static byte[] bytes(ServerRequest request) {
        try (InputStream content = request.content().inputStream()) {
            return content.readNBytes(Contract.LARGEST_BODY + 1);
        } catch (IOException | UncheckedIOException | DataReader.InsufficientDataAvailableException e) {
            throw new CloseConnectionException("the client left before the end of its body, or took too long", e);
        } catch (RequestException e) {
            throw e;
        } catch (RuntimeException e) {
            // The web server throws many exceptions for a malformed chunk, and none of them is a bug of this service.
            throw RequestException.builder().type(DirectHandler.EventType.BAD_REQUEST).status(Status.BAD_REQUEST_400)
                    .message("the body is malformed").cause(e).setKeepAlive(false).build();
        }
    }

    public static boolean hasType(ServerRequest request, String expected) {
        String type = request.headers().value(HeaderNames.CONTENT_TYPE).orElse("");
        String mediaType = type.split(";", 2)[0].strip();
        return mediaType.equalsIgnoreCase(expected);
    }
}
