// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.Problems;
import io.chargeonce.database.PersonsDatabase;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One person in one browser, with the rights of their own login. Any thread. */
public final class Session {

    /** One look at the page asks several things; Postgres answers two of them at a time. */
    private static final int REQUESTS_AT_ONCE = 8;
    private static final int STREAMS_AT_ONCE = 4;
    /** A page that is left gives its stream's place back within two seconds. */
    private static final Duration LONGEST_WAIT_FOR_STREAM = Duration.ofSeconds(10);
    /** What a run's leader uses: it commits three batches at once. */
    private static final int CONNECTIONS_OF_RUN = 3;

    private final Rights rights;
    private final String csrf;
    private final String password;
    private final PersonsDatabase databases;
    private final DeadLetterQueue queue;
    private final Instant ends;
    private final Semaphore requests = new Semaphore(REQUESTS_AT_ONCE);
    private final Semaphore streams = new Semaphore(STREAMS_AT_ONCE);
    private volatile Instant lastUse;
    private volatile boolean over;

    Session(Rights rights, String csrf, String password, PersonsDatabase databases, DeadLetterQueue queue, Instant ends, Instant now) {
        this.rights = rights;
        this.csrf = csrf;
        this.password = password;
        this.databases = databases;
        this.queue = queue;
        this.ends = ends;
        this.lastUse = now;
    }

    public String person() {
        return rights.login();
    }

    public DeadLetterQueue queue() {
        return queue;
    }

    /** A queue of its own for a run, which goes on when the session has ended. The caller closes its database. */
    public DeadLetterQueue openForRun() {
        return new DeadLetterQueue(databases.open(person(), password, CONNECTIONS_OF_RUN), queue.topics(), queue.vault());
    }

    public boolean mayOperate() {
        return rights.operate();
    }

    public boolean mayApprove() {
        return rights.approve();
    }

    public String csrf() {
        return csrf;
    }

    /** Names the person by the login, and says from where they came. */
    public AuditContext by(Optional<String> reason, String client) {
        return by(reason, client, AuditContext.newRun());
    }

    public AuditContext by(Optional<String> reason, String client, String run) {
        return new AuditContext(person(), Optional.of("console at " + client), reason, run);
    }

    Instant lastUse() {
        return lastUse;
    }

    Instant ends() {
        return ends;
    }

    void used(Instant now) {
        lastUse = now;
    }

    /** Whether the person has signed out, or the session's time is up. Streams ask. */
    public boolean isOver() {
        return over;
    }

    void end() {
        over = true;
        queue.database().close();
    }

    /** @throws io.chargeonce.console.answer.Refusal if this session has too many requests under way */
    public <T> T request(Supplier<T> work) {
        return within(requests, Duration.ZERO, work);
    }

    /** @throws io.chargeonce.console.answer.Refusal if this session has too many streams open */
    public <T> T stream(Supplier<T> work) {
        return within(streams, LONGEST_WAIT_FOR_STREAM, work);
    }

    private static <T> T within(Semaphore places, Duration patience, Supplier<T> work) {
        try {
            if (!places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Problems.tooManyAtOnce().refusal();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problems.tooManyAtOnce().refusal();
        }
        try {
            return work.get();
        } finally {
            places.release();
        }
    }

    /** @param expiresAt by the clock of others */
    public Map<String, Object> json(Instant expiresAt) {
        var json = new LinkedHashMap<String, Object>();
        json.put("person", person());
        json.put("role", rights.role());
        json.put("rights", List.copyOf(rights.names()));
        json.put("csrf", csrf);
        json.put("expires_at", expiresAt.toString());
        return json;
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
        return "Session[" + person() + "]";
    }
}
