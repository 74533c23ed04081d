package io.chargeonce.ingest;

import io.chargeonce.payment.IdempotencyKey;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * Payment requests as lines of JSON, each accepted or refused by itself as if it had come alone, after those before it, and no
 * faster than the merchant may send. Any thread.
 */
final class PostBatch {

    static final String PATH = Command.PATH + "/batch";
    private static final String NDJSON = "application/x-ndjson";

    private final Function<Ask, Answer> accept;
    private final RateLimits limits;
    private final IngestMeters meters;
    private final Deadline patience;
    private final InstantSource clock;

    /** @param patience how long the client may take to send or to take a few bytes */
    PostBatch(Function<Ask, Answer> accept, RateLimits limits, IngestMeters meters, Deadline patience, InstantSource clock) {
        this.accept = accept;
        this.limits = limits;
        this.meters = meters;
        this.patience = patience;
        this.clock = clock;
    }

    /** Whether the lines are guarded against second clicks; or why there can be no batch. */
    static Checked<Boolean> guarded(ServerRequest request) {
        return RequestBody.hasType(request, NDJSON)
                ? GuardHeader.read(request)
                : new Checked.Wrong<>(Problems.notNdjson());
    }

    void stream(Merchant merchant, boolean guarded, ServerRequest request, ServerResponse response) {
        response.status(200);
        response.header("Content-Type", NDJSON);
        String origin = request.remotePeer().host();
        // Closed only when all is well: the end of the stream tells the client that no answer is missing.
        OutputStream out = new BufferedOutputStream(new PatientOutput(response.outputStream(), patience), 16 * 1024);
        var turns = new Turns("batch-line");
        try {
            new Batch(line -> {
                limits.await(merchant);
                BatchLine read = BatchLine.read(line);
                return turns.take(read.turns(guarded), () -> answer(merchant, guarded, origin, read));
            }).run(input(request), out);
            out.close();
        } catch (IOException | RuntimeException e) {
            throw new CloseConnectionException("a batch ended before its answers were complete", e);
        }
    }

    private InputStream input(ServerRequest request) {
        return request.content().hasEntity()
                ? new PatientInput(request.content().inputStream(), patience)
                : InputStream.nullInputStream();
    }

    private byte[] answer(Merchant merchant, boolean guarded, String origin, BatchLine line) {
        return line.answered(meters.timed("batch", () -> line.request().answer(
                payment -> {
                    Ask ask = Ask.of(merchant.id(), key(line), payment, origin, clock.instant());
                    return accept.apply(guarded ? ask : ask.withoutGuard());
                })));
    }

    private static IdempotencyKey key(BatchLine line) {
        return line.key().orElseThrow(() -> new IllegalStateException("Bug! A line without a key was found right"));
    }
}
