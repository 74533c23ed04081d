// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.overview.Facts;
import io.chargeonce.console.overview.Overview;
import io.chargeonce.console.overview.SharedLook;
import io.chargeonce.console.runs.RunDocuments;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Http10;
import io.chargeonce.http.PatientOutput;
import io.chargeonce.runtime.Rest;
import io.chargeonce.wire.PaymentJson;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Server-sent events: the overview when it has changed, each run that moves, and a ping when there was nothing to say. However much there
 * is to count, all streams together keep Postgres busy for a tenth of the time at most. Each stream on its own thread.
 */
final class Stream implements ConsoleApi.Routes {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration PING_AFTER = Duration.ofSeconds(15);
    /** A comment, which browsers skip. Only a write tells that a browser has left. */
    private static final byte[] STILL_THERE = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final Duration SEEN_AFTER = Duration.ofSeconds(10);
    private static final int BUFFER = 16 * 1024;

    private final Overview overview;
    private final SharedLook<Facts> facts;
    private final RunDocuments documents;
    private final Deadline patience;
    private final CountDownLatch ended = new CountDownLatch(1);

    Stream(Overview overview, SharedLook<Facts> facts, RunDocuments documents, Deadline patience) {
        this.overview = overview;
        this.facts = facts;
        this.documents = documents;
        this.patience = patience;
    }

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.stream("/api/stream", this::send);
    }

    /** Each stream ends at once, now and later. */
    void endAll() {
        ended.countDown();
    }

    private void send(Call call, ServerResponse response) {
        if (Http10.isVersionOf(call.request())) {
            throw ConsoleProblems.needsHttp11().refusal();
        }
        call.session().stream(() -> {
            response.status(200);
            response.header("Content-Type", "text/event-stream");
            response.header("X-Accel-Buffering", "no");
            var events = new Events(call, new BufferedOutputStream(new PatientOutput(response.outputStream(), patience), BUFFER));
            try {
                events.run();
            } catch (IOException | RuntimeException e) {
                throw new CloseConnectionException("a stream of events ended", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new CloseConnectionException("a stream of events ended with its session or with the console");
        });
    }

    /** One stream. */
    private final class Events {

        private final Call call;
        private final OutputStream out;
        private final Map<String, Object> sentRuns = new HashMap<>();
        private final Set<String> toldEnds = new HashSet<>();
        private Instant lookedAt;
        private Map<String, Object> sent = Map.of();
        private long written = System.nanoTime();
        private long nextLook = written;
        private Duration rest = Duration.ZERO;

        Events(Call call, OutputStream out) {
            this.call = call;
            this.out = out;
        }

        void run() throws IOException, InterruptedException {
            do {
                if (System.nanoTime() - nextLook >= 0) {
                    call.session().checkRights();
                    look();
                }
                if (System.nanoTime() - written >= PING_AFTER.toNanos()) {
                    write("ping", Map.of());
                }
                out.write(STILL_THERE);
                out.flush();
            } while (!ended.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS) && !call.session().isOver());
        }

        private void look() throws IOException {
            long began = System.nanoTime();
            Duration took = Duration.ZERO;
            try {
                // What another stream has looked at within half of the rest will do.
                SharedLook.Seen<Facts> seen = OverviewRoutes.read(facts, call, began - rest.dividedBy(2).toNanos());
                took = seen.took();
                tell(overview.of(seen.value()));
                runs(seen.value());
            } catch (DatabaseUnavailable | DatabaseRefused e) {
                if (e instanceof DatabaseRefused refused && refused.isOurs()) {
                    // This person may not look any more: the stream ends.
                    throw refused;
                }
                if (!call.session().isOver() && !sent.isEmpty()) {
                    tell(stale(sent));
                }
            }
            Duration own = Duration.ofNanos(System.nanoTime() - began);
            rest = Rest.after(own.compareTo(took) > 0 ? own : took);
            nextLook = System.nanoTime() + rest.toNanos();
        }

        /** The numbers of then, with a verdict of now. */
        private Map<String, Object> stale(Map<String, Object> then) {
            var now = new LinkedHashMap<>(then);
            now.put("verdict", "unknown");
            now.put("headline", "Postgres gives no answer. These numbers are of %s.".formatted(then.get("at")));
            return now;
        }

        private void tell(Map<String, Object> document) throws IOException {
            if (!withoutTime(document).equals(withoutTime(sent))) {
                write("overview", document);
                sent = document;
            }
        }

        private static Map<String, Object> withoutTime(Map<String, Object> document) {
            var rest = new HashMap<>(document);
            rest.remove("at");
            return rest;
        }

        /** Runs that are open, and once more each that was. */
        private void runs(Facts facts) throws IOException {
            Set<String> gone = new HashSet<>(sentRuns.keySet());
            for (DlqRuns.Report report : facts.watch().runs()) {
                gone.remove(report.run().id());
                run(report);
            }
            for (String id : gone) {
                var last = new DlqRuns(call.queue()).report(id);
                if (last.isPresent()) {
                    run(last.get());
                }
                sentRuns.remove(id);
                toldEnds.add(id);
            }
            ends(facts);
        }

        /** A short run may begin and end between two looks. Its end may be seen a moment after its time. */
        private void ends(Facts facts) throws IOException {
            Instant since = (lookedAt == null ? facts.watch().at() : lookedAt).minus(SEEN_AFTER);
            for (DlqRun run : facts.runs()) {
                if (run.endedAt().filter(since::isBefore).isPresent() && toldEnds.add(run.id())) {
                    var last = new DlqRuns(call.queue()).report(run.id());
                    if (last.isPresent()) {
                        run(last.get());
                    }
                    sentRuns.remove(run.id());
                }
            }
            lookedAt = facts.watch().at();
        }

        private void run(DlqRuns.Report report) throws IOException {
            DlqRun run = report.run();
            boolean must = !run.state().isEnd() && new FourEyes(call.queue()).mustBeApproved(run.id());
            Map<String, Object> document = documents.whole(call.session(), report, must);
            if (!document.equals(sentRuns.put(run.id(), document))) {
                write("run", document);
            }
        }

        private void write(String event, Map<String, ?> data) throws IOException {
            String text = "event: " + event + "\ndata: " + PaymentJson.MAPPER.writeValueAsString(data) + "\n\n";
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
            written = System.nanoTime();
        }
    }
}
