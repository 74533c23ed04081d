package io.chargeonce.ingest;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whose token a request carries. Only digests are stored, looked up and remembered; comparing digests of guesses
 * tells a guesser nothing about the tokens. What Postgres said holds for a few seconds, so a revoked token dies that
 * late. Any thread.
 */
final class Merchants implements AutoCloseable {

    private static final Duration REMEMBERED = Duration.ofSeconds(5);
    /** Tokens come from outside: what is remembered of them must not grow without end. */
    private static final int MOST_REMEMBERED = 10_000;
    private static final int LONGEST_TOKEN = 500;
    private static final String SCHEME = "Bearer ";

    private record Known(Optional<Merchant> merchant, Instant until) {}

    private final InstantSource clock;
    private final Coalescer<ByteBuffer, Optional<Merchant>> lookups;
    private final Map<ByteBuffer, Known> known = new ConcurrentHashMap<>();

    Merchants(Database database, InstantSource clock) {
        this.clock = clock;
        this.lookups = new Coalescer<>("merchants", database, 1, () -> {}, Merchants::find);
    }

    /** @param authorization the header's values, as many as were sent */
    Checked<Merchant> authenticate(List<String> authorization) {
        return authorization.stream()
                .filter(value -> authorization.size() == 1)
                .filter(value -> value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(value -> value.substring(SCHEME.length()).strip())
                .filter(token -> !token.isEmpty() && token.length() <= LONGEST_TOKEN)
                .findFirst()
                .flatMap(token -> merchantOf(ByteBuffer.wrap(Sha256.of(token))))
                .<Checked<Merchant>>map(Checked.Right::new)
                .orElseGet(() -> new Checked.Wrong<>(Problems.unauthenticated()));
    }

    private Optional<Merchant> merchantOf(ByteBuffer digest) {
        Instant now = clock.instant();
        Known remembered = known.get(digest);
        if (remembered != null && now.isBefore(remembered.until())) {
            return remembered.merchant();
        }
        Optional<Merchant> merchant = lookups.ask(digest);
        if (known.size() >= MOST_REMEMBERED) {
            known.clear();
        }
        known.put(digest, new Known(merchant, now.plus(REMEMBERED)));
        return merchant;
    }

    private static final String FIND = """
            SELECT token_sha256, merchant_id, requests_per_second
              FROM merchants_of(?::bytea[])
            """;

    private static List<Optional<Merchant>> find(Connection connection, List<ByteBuffer> digests) throws SQLException {
        try (var statement = connection.prepareStatement(FIND)) {
            Columns.of(digests, statement).with("bytea", ByteBuffer::array);
            var merchants = new HashMap<ByteBuffer, Merchant>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    merchants.put(ByteBuffer.wrap(row.getBytes(1)), merchant(row));
                }
            }
            return digests.stream().map(digest -> Optional.ofNullable(merchants.get(digest))).toList();
        }
    }

    private static Merchant merchant(ResultSet row) throws SQLException {
        return new Merchant(row.getString(2), Optional.ofNullable(row.getObject(3, Integer.class)));
    }

    @Override
    public void close() {
        lookups.close();
    }
}
