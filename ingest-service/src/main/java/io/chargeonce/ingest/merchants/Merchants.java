// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.database.Sql;
import io.chargeonce.text.AddressRange;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.runtime.ClientNetwork;
import io.chargeonce.runtime.Sha256;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Finds the merchant of a request's token, and whether the token is good for the request. Only digests are stored, looked up and
 * remembered, so the time of a comparison reveals nothing about the tokens. The answer of Postgres is remembered for {@link #REMEMBERED},
 * and never beyond the token's life. So a revoked token ends that late, in an open batch too. Any thread.
 */
public final class Merchants implements AutoCloseable {

    static final Duration REMEMBERED = Duration.ofSeconds(5);
    /** Guesses are remembered apart and in bounded number, so that they cannot push out a token that was issued. */
    private static final int MOST_GUESSES = 10_000;
    private static final int LONGEST_TOKEN = 500;
    private static final String SCHEME = "Bearer ";

    /** @param until when Postgres must be queried again */
    private record Known(Credential credential, Instant until) {}

    private record Found(Credential credential, Optional<Duration> lives) {}

    private final InstantSource clock;
    private final Coalescer<ByteBuffer, Optional<Found>> lookups;
    /** Bounded by the number of issued tokens. */
    private final Map<ByteBuffer, Known> issued = new ConcurrentHashMap<>();
    private final Map<ByteBuffer, Instant> guesses = new ConcurrentHashMap<>();
    private final Set<ByteBuffer> used = ConcurrentHashMap.newKeySet();

    public Merchants(Database database, InstantSource clock) {
        this.clock = clock;
        this.lookups = new Coalescer<>("merchants", database, 1, () -> {}, Merchants::find);
    }

    /**
     * @param authorization the header's values, as many as were sent
     * @param client        the address of the connection; what a request says about its origin does not count
     */
    public Checked<Credential> authenticate(List<String> authorization, Scope scope, InetAddress client) {
        return authorization.stream()
                .filter(value -> authorization.size() == 1)
                .filter(value -> value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(value -> value.substring(SCHEME.length()).strip())
                .filter(token -> !token.isEmpty() && token.length() <= LONGEST_TOKEN)
                .findFirst()
                .map(token -> check(ByteBuffer.wrap(Sha256.of(token)), scope, client))
                .orElseGet(() -> new Checked.Wrong<>(Problems.unauthenticated()));
    }

    /** Checks a token again that was accepted before, for a request that takes long. */
    public Checked<Credential> again(Credential before, Scope scope, InetAddress client) {
        return check(before.digest(), scope, client);
    }

    private Checked<Credential> check(ByteBuffer digest, Scope scope, InetAddress client) {
        Optional<Credential> credential = credential(digest, client);
        if (credential.isEmpty()) {
            return new Checked.Wrong<>(Problems.unauthenticated());
        }
        Optional<Problem> refusal = credential.get().refusal(scope, client);
        if (refusal.isPresent()) {
            return new Checked.Wrong<>(refusal.get());
        }
        used.add(digest);
        return new Checked.Right<>(credential.get());
    }

    private Optional<Credential> credential(ByteBuffer digest, InetAddress client) {
        Instant now = clock.instant();
        Known known = issued.get(digest);
        if (known != null && now.isBefore(known.until())) {
            return Optional.of(known.credential());
        }
        if (now.isBefore(guesses.getOrDefault(digest, Instant.MIN))) {
            return Optional.empty();
        }
        Optional<Found> found = lookups.ask(line(digest, client), digest);
        if (found.isPresent()) {
            issued.put(digest, new Known(found.get().credential(), until(now, found.get().lives())));
        } else {
            issued.remove(digest);
            guessed(digest, until(now, Optional.empty()));
        }
        return found.map(Found::credential);
    }

    /** How long the answer of Postgres is remembered: never beyond the token's life. */
    static Instant until(Instant now, Optional<Duration> lives) {
        return now.plus(lives.filter(life -> life.compareTo(REMEMBERED) < 0).orElse(REMEMBERED));
    }

    /**
     * The line in which a lookup waits. A token that was issued at its last lookup waits in the line of its merchant, any other in the line
     * of its network. So guesses delay neither tokens that were issued nor new tokens from other networks.
     */
    Object line(ByteBuffer digest, InetAddress client) {
        Known known = issued.get(digest);
        return known == null ? ClientNetwork.of(client) : known.credential().merchant().id();
    }

    /** Remembers that there is no such token, so that a repeat within that time costs no statement. */
    void guessed(ByteBuffer digest, Instant until) {
        if (guesses.size() >= MOST_GUESSES) {
            guesses.clear();
        }
        guesses.put(digest, until);
    }

    /** The tokens that were used since the last call. */
    Set<ByteBuffer> takeUsed() {
        Set<ByteBuffer> taken = Set.copyOf(used);
        used.removeAll(taken);
        return taken;
    }

    private static final String FIND = """
            SELECT token_sha256, merchant_id, requests_per_second, revoked, scopes, addresses, lives
              FROM merchants_of(?::bytea[])
            """;

    private static List<Optional<Found>> find(Connection connection, List<ByteBuffer> digests) throws SQLException {
        var found = new HashMap<ByteBuffer, Found>();
        Sql.each(connection, FIND, row -> {
            Found one = found(row);
            found.put(one.credential().digest(), one);
        }, Columns.of(digests).with("bytea", ByteBuffer::array));
        return digests.stream().map(digest -> Optional.ofNullable(found.get(digest))).toList();
    }

    private static Found found(ResultSet row) throws SQLException {
        var merchant = new Merchant(row.getString(2), Optional.ofNullable(row.getObject(3, Integer.class)));
        Optional<Duration> lives = Optional.ofNullable(row.getObject(7, Long.class)).map(Duration::ofMillis);
        boolean isOver = lives.filter(rest -> !rest.isPositive()).isPresent();
        Credential.Validity validity = row.getBoolean(4) ? Credential.Validity.REVOKED
                : isOver ? Credential.Validity.EXPIRED : Credential.Validity.VALID;
        Set<Scope> scopes =
                Arrays.stream((String[]) row.getArray(5).getArray()).map(Scope::fromTag).collect(Collectors.toUnmodifiableSet());
        List<AddressRange> from = row.getArray(6) == null ? List.of()
                : Arrays.stream((String[]) row.getArray(6).getArray()).map(AddressRange::parse).toList();
        return new Found(new Credential(ByteBuffer.wrap(row.getBytes(1)), merchant, validity, scopes, from),
                isOver ? Optional.empty() : lives);
    }

    @Override
    public void close() {
        lookups.close();
    }
}
