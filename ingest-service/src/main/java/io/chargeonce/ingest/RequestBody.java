package io.chargeonce.ingest;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Takes a request's body off the wire, never more of it than a payment request may have. */
final class RequestBody {

    static final int LARGEST = 64 * 1024;

    private RequestBody() {}

    static Checked<byte[]> read(ServerRequest request) {
        if (!isJson(request)) {
            return new Checked.Wrong<>(Problems.notJson());
        }
        if (request.headers().contentLength().orElse(0) > LARGEST) {
            return new Checked.Wrong<>(Problems.tooLarge());
        }
        if (!request.content().hasEntity()) {
            return new Checked.Right<>(new byte[0]);
        }
        try (InputStream content = request.content().inputStream()) {
            byte[] body = content.readNBytes(LARGEST + 1);
            return body.length > LARGEST ? new Checked.Wrong<>(Problems.tooLarge()) : new Checked.Right<>(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isJson(ServerRequest request) {
        String type = request.headers().value(HeaderNames.CONTENT_TYPE).orElse("");
        String mediaType = type.split(";", 2)[0].strip();
        return mediaType.equalsIgnoreCase("application/json");
    }
}
