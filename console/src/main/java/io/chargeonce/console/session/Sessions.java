// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.answer.Refusal;
import io.chargeonce.database.PersonsDatabase;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.runtime.AuthenticationFailures;
import io.chargeonce.runtime.ClientNetwork;
import io.chargeonce.runtime.Sha256;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is signed in. A session ends after a time without a request, at the latest after half a day, and when the person signs out. It is
 * known by the digest of its cookie. Any thread.
 */
public final class Sessions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final int MOST = 50;
    /** So that one person, or one stolen login, keeps no other out. */
    private static final int MOST_OF_ONE = 10;
    private static final int CONNECTIONS = 2;
    /** Postgres hashes each password for some milliseconds. */
    private static final int SIGN_INS_AT_ONCE = 4;
    private static final int LONGEST_TOKEN = 1_000;
    private static final int SECRET_BYTES = 32;

    /**
     * How long a session lasts.
     *
     * @param idle    without a request
     * @param longest in all
     */
    public record Lifetime(Duration idle, Duration longest) {

        public static final Lifetime USUAL = new Lifetime(Duration.ofMinutes(15), Duration.ofHours(12));
    }

    /** A new session, and the cookie that is its key. */
    public record SignedIn(Session session, String cookie) {}

    private final PersonsDatabase databases;
    private final Topics topics;
    private final int tiers;
    private final Vault vault;
    private final Supplier<KafkaConnection> kafka;
    private final Lifetime lifetime;
    private final InstantSource clock;
    private final AuthenticationFailures failures;
    private final SignInLimit limit;
    private final Semaphore places = new Semaphore(SIGN_INS_AT_ONCE);
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> open = new ConcurrentHashMap<>();

    /**
     * @param kafka asked only before a record goes back to another system's topic
     * @param clock a steady one
     */
    public Sessions(PersonsDatabase databases, Topics topics, int tiers, Vault vault, Supplier<KafkaConnection> kafka, Lifetime lifetime,
                    InstantSource clock, MeterRegistry meters) {
        this.databases = databases;
        this.topics = topics;
        this.tiers = tiers;
        this.vault = vault;
        this.kafka = kafka;
        this.lifetime = lifetime;
        this.clock = clock;
        this.failures = new AuthenticationFailures("console", meters);
        this.limit = new SignInLimit(clock);
        Gauge.builder("chargeonce.console.sessions", open, Map::size).description("People who are signed in at the console")
                .register(meters);
    }

    /**
     * @param token {@code LOGIN:PASSWORD}
     * @throws io.chargeonce.console.answer.Refusal if this is nobody who may look
     */
    public SignedIn signIn(String token, InetAddress client) {
        int colon = token.indexOf(':');
        if (colon < 1 || token.length() > LONGEST_TOKEN || token.indexOf('\0') >= 0) {
            failures.failed("malformed", client, Optional.empty());
            throw ConsoleProblems.noToken().refusal();
        }
        String login = token.substring(0, colon);
        var who = new SignInLimit.Client(login, ClientNetwork.of(client));
        limit.check(who);
        String password = token.substring(colon + 1);
        if (!places.tryAcquire()) {
            throw ConsoleProblems.overloaded().refusal();
        }
        Rights rights;
        try {
            rights = ask(login, password);
        } catch (Refusal e) {
            limit.failed(who);
            failures.failed(e.problem().slug(), client, Optional.empty());
            throw e;
        }
        limit.signedIn(who);
        LOG.info("{} signed in from {} as {}", rights.login(), client.getHostAddress(), rights.role());
        return open(rights, password);
    }

    /** Gives its place back. */
    private Rights ask(String login, String password) {
        try {
            return switch (databases.signIn(login, password, Rights::of)) {
                case PersonsDatabase.SignIn.LetIn<Rights>(Rights rights) -> rights.forPeople();
                case PersonsDatabase.SignIn.Refused<Rights> refused -> throw ConsoleProblems.wrongToken().refusal();
                case PersonsDatabase.SignIn.Unchecked<Rights> unchecked -> throw ConsoleProblems.unchecked().refusal();
            };
        } finally {
            places.release();
        }
    }

    private synchronized SignedIn open(Rights rights, String password) {
        endExpired();
        makeRoomFor(rights.login());
        if (open.size() >= MOST) {
            throw ConsoleProblems.tooManySessions().refusal();
        }
        Instant now = clock.instant();
        var queue = new DeadLetterQueue(databases.open(rights.login(), password, CONNECTIONS), topics, vault, tiers, kafka);
        var session = new Session(rights, secret(), password, databases, queue, now.plus(lifetime.longest), now);
        String cookie = secret();
        open.put(digest(cookie), session);
        return new SignedIn(session, cookie);
    }

    /** Ends the person's least recently used session if they have too many, or if there is no other room. */
    private void makeRoomFor(String login) {
        List<Map.Entry<String, Session>> own = open.entrySet().stream().filter(entry -> entry.getValue().person().equals(login))
                .sorted(Comparator.comparing(entry -> entry.getValue().lastUse())).toList();
        if (own.size() >= MOST_OF_ONE || !own.isEmpty() && open.size() >= MOST) {
            open.remove(own.getFirst().getKey());
            own.getFirst().getValue().end();
        }
    }

    /** The session of this cookie, which is in use from now on. */
    public Optional<Session> find(String cookie) {
        Instant now = clock.instant();
        Optional<Session> found = Optional.ofNullable(open.get(digest(cookie)));
        if (found.filter(session -> isExpired(session, now)).isPresent()) {
            end(cookie);
            return Optional.empty();
        }
        found.ifPresent(session -> session.used(now));
        return found;
    }

    /** How long it still lasts if nothing more is asked. */
    public Duration left(Session session) {
        Instant now = clock.instant();
        Duration idle = Duration.between(now, session.lastUse().plus(lifetime.idle));
        Duration longest = Duration.between(now, session.ends());
        return idle.compareTo(longest) < 0 ? idle : longest;
    }

    public void end(String cookie) {
        Session session = open.remove(digest(cookie));
        if (session != null) {
            session.end();
        }
    }

    /** Returns how many ended. */
    public int endExpired() {
        Instant now = clock.instant();
        int before = open.size();
        open.entrySet().removeIf(entry -> {
            boolean expired = isExpired(entry.getValue(), now);
            if (expired) {
                entry.getValue().end();
            }
            return expired;
        });
        return Math.max(0, before - open.size());
    }

    private boolean isExpired(Session session, Instant now) {
        return session.isOver() || !now.isBefore(session.ends()) || !now.isBefore(session.lastUse().plus(lifetime.idle));
    }

    private String secret() {
        var bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String digest(String cookie) {
        return HexFormat.of().formatHex(Sha256.of(cookie));
    }

    @Override
    public void close() {
        open.values().forEach(Session::endAtOnce);
        open.clear();
    }
}
