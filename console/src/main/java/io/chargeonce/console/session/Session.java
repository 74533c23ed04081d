// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.answer.Refusal;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.PersonsDatabase;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.payment.Money;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** One person in one browser, with the rights of their own login as Postgres knows them now. Any thread. */
public final class Session {

    /** One look at the page asks several things; Postgres answers two of them at a time. */
    private static final int REQUESTS_AT_ONCE = 8;
    private static final int STREAMS_AT_ONCE = 4;
    /** A page that is left gives its stream's place back within two seconds. */
    private static final Duration LONGEST_WAIT_FOR_STREAM = Duration.ofSeconds(10);
    /** What a run's leader uses: it commits three batches at once. */
    private static final int CONNECTIONS_OF_RUN = 3;

    /** How long rights that were taken away in Postgres may still count. */
    private static final Duration RIGHTS_COUNT_FOR = Duration.ofSeconds(1);

    private final String csrf;
    private final String password;
    private final PersonsDatabase databases;
    private final DeadLetterQueue queue;
    private final Instant ends;
    private final Semaphore requests = new Semaphore(REQUESTS_AT_ONCE);
    private final Semaphore streams = new Semaphore(STREAMS_AT_ONCE);
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime() + RIGHTS_COUNT_FOR.toNanos());
    private volatile Rights rights;
    private volatile Instant lastUse;
    private volatile boolean over;
    /** Requests and streams; guarded by this. */
    private int underWay;

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
        return queue.over(databases.open(person(), password, CONNECTIONS_OF_RUN));
    }

    public boolean mayRead() {
        return rights.mayRead();
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

    /** Nothing more begins. What is under way is done and answered; then the connections close. */
    synchronized void end() {
        over = true;
        if (underWay == 0) {
            queue.database().close();
        }
    }

    /** Closes the connections also under what is under way. */
    void endAtOnce() {
        over = true;
        queue.database().close();
    }

    private synchronized void begin() {
        if (over) {
            throw ConsoleProblems.noSession().refusal();
        }
        underWay++;
    }

    private synchronized void done() {
        underWay--;
        if (over && underWay == 0) {
            queue.database().close();
        }
    }

    /**
     * Ends the session if Postgres does not let this login in any more, or it is no person's at the queue any more. The witness's numbers
     * come from no database, so nothing else would refuse them. While Postgres is away, the rights are those of before.
     *
     * @throws io.chargeonce.console.answer.Refusal if the session has ended
     */
    public void checkRights() {
        long look = nextLook.get();
        if (System.nanoTime() - look < 0 || !nextLook.compareAndSet(look, System.nanoTime() + RIGHTS_COUNT_FOR.toNanos())) {
            return;
        }
        try {
            Rights now = queue.database().withConnection(Rights::of).forPeople();
            if (!now.login().equals(person())) {
                throw ConsoleProblems.noSession().refusal();
            }
            rights = now;
        } catch (Refusal e) {
            end();
            throw e;
        } catch (DatabaseRefused e) {
            if (e.isAboutTheLogin()) {
                end();
            }
            throw e;
        } catch (DatabaseUnavailable away) {
            // What needs Postgres says so itself.
        }
    }

    /** @throws io.chargeonce.console.answer.Refusal if this session has too many requests under way */
    public <T> T request(Supplier<T> work) {
        return within(requests, Duration.ZERO, work);
    }

    /** @throws io.chargeonce.console.answer.Refusal if this session has too many streams open */
    public <T> T stream(Supplier<T> work) {
        return within(streams, LONGEST_WAIT_FOR_STREAM, work);
    }

    private <T> T within(Semaphore places, Duration patience, Supplier<T> work) {
        try {
            if (!places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw ConsoleProblems.tooManyAtOnce().refusal();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ConsoleProblems.tooManyAtOnce().refusal();
        }
        try {
            begin();
            try {
                checkRights();
                return work.get();
            } finally {
                done();
            }
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
        json.put("decimals", Money.currencies());
        return json;
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
        return "Session[" + person() + "]";
    }
}
