// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import io.chargeonce.ingest.accept.AcceptRequest;
import io.chargeonce.ingest.accept.GuardHeader;
import io.chargeonce.http.BodyBytes;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.ExceptionMapper;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.merchants.Merchants;
import io.chargeonce.ingest.merchants.RateLimits;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Http10;
import io.chargeonce.http.PatientOutput;
import io.chargeonce.payment.IdempotencyKey;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Payment requests as lines of JSON. Each is accepted or refused by itself, as if it had come alone, and no faster than the merchant may
 * send. Any thread.
 */
public final class PostBatch {

    public static final String PATH = Contract.PAYMENTS + "/batch";
    private static final String NDJSON = "application/x-ndjson";

    private final Function<AcceptRequest, Answer> accept;
    private final Merchants merchants;
    private final RateLimits limits;
    private final IngestMeters meters;
    private final Deadline patience;
    private final Duration leftover;
    private final InstantSource clock;
    private final Set<Batch> open = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    /**
     * @param patience how long the client may take to send or to take a few bytes
     * @param leftover how long the rest of a batch that was ended is read, so that its answers reach a client that still sends
     */
    public PostBatch(Function<AcceptRequest, Answer> accept, Merchants merchants, RateLimits limits, IngestMeters meters, Deadline patience,
                     Duration leftover, InstantSource clock) {
        this.accept = accept;
        this.merchants = merchants;
        this.limits = limits;
        this.meters = meters;
        this.patience = patience;
        this.leftover = leftover;
        this.clock = clock;
    }

    /** Whether the lines are guarded against second clicks; or why there can be no batch. */
    public static Checked<Boolean> guarded(ServerRequest request) {
        if (Http10.isVersionOf(request)) {
            return new Checked.Wrong<>(Problems.batchNeedsHttp11());
        }
        return BodyBytes.hasType(request, NDJSON)
                ? GuardHeader.read(request)
                : new Checked.Wrong<>(Problems.notNdjson());
    }

    /** Ends each batch, now and later: the lines that were read are answered, and then the answers end cleanly. */
    public void endAll() {
        ended = true;
        open.forEach(Batch::end);
    }

    public void stream(Credential credential, boolean guarded, ServerRequest request, ServerResponse response) {
        response.status(200);
        response.header("Content-Type", NDJSON);
        InetAddress client = client(request);
        String origin = request.remotePeer().host();
        // The batch closes it only when all is well: the end of the stream tells the client that no answer is missing.
        OutputStream out = new BufferedOutputStream(new PatientOutput(response.outputStream(), patience), 16 * 1024);
        var turns = new Turns("batch-line");
        var batch = new Batch(line -> {
            limits.await(credential.merchant());
            BatchLine read = BatchLine.read(line);
            return turns.take(read.turns(guarded), () -> answer(credential, client, guarded, origin, read));
        }, leftover);
        open.add(batch);
        try {
            if (ended) {
                batch.end();
            }
            batch.run(input(request), new Answers(out, response));
        } catch (IOException | RuntimeException e) {
            throw new CloseConnectionException("a batch ended before its answers were complete", e);
        } finally {
            open.remove(batch);
        }
        if (ended) {
            throw new CloseConnectionException("a batch was ended because the service shuts down");
        }
    }

    /** Sends the end of the answers when it is closed; the web server would send it only after the request is over. */
    private static final class Answers extends FilterOutputStream {
        private final ServerResponse response;

        Answers(OutputStream out, ServerResponse response) {
            super(out);
            this.response = response;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            super.close();
            if (response instanceof RoutingResponse web) {
                web.commit();
            }
        }
    }

    private InputStream input(ServerRequest request) {
        return request.content().hasEntity()
                ? new PatientInput(request.content().inputStream(), patience)
                : InputStream.nullInputStream();
    }

    /** A batch may be open for hours, so the token is checked for each line: a revoked one must not go on paying. */
    private byte[] answer(Credential credential, InetAddress client, boolean guarded, String origin, BatchLine line) {
        return line.answered(meters.timed("batch", () -> ExceptionMapper.answer(() -> merchants.again(credential, Scope.PAY, client).answer(
                still -> line.request().answer(
                        payment -> {
                            AcceptRequest ask = AcceptRequest.of(still.merchant().id(), key(line), payment, origin, clock.instant())
                                    .as(RequestForm.BATCH_LINE);
                            return accept.apply(guarded ? ask : ask.withoutGuard());
                        })))));
    }

    /** The address of the connection. What a request says about its origin is not believed. */
    public static InetAddress client(ServerRequest request) {
        return request.remotePeer().address() instanceof InetSocketAddress socket && !socket.isUnresolved() ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    private static IdempotencyKey key(BatchLine line) {
        return line.key().orElseThrow(() -> new IllegalStateException("Bug! A line without a key was found right"));
    }
}
