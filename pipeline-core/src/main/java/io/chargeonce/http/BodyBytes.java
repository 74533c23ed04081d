// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

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
import java.util.Optional;

/** Takes a request's body off the wire, within a time and never more than a limit. Any thread. */
public final class BodyBytes {

    private final Deadline deadline;

    public BodyBytes(Deadline deadline) {
        this.deadline = deadline;
    }

    /** Empty for a body of more than {@code most} bytes. */
    public Optional<byte[]> read(ServerRequest request, int most) {
        if (request.headers().contentLength().orElse(0) > most) {
            return Optional.empty();
        }
        byte[] body = request.content().hasEntity() ? deadline.within(() -> bytes(request, most)) : new byte[0];
        return body.length > most ? Optional.empty() : Optional.of(body);
    }

    private static byte[] bytes(ServerRequest request, int most) {
        try (InputStream content = request.content().inputStream()) {
            return content.readNBytes(most + 1);
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
