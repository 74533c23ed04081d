package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The attempts at PSPs. Its index {@code one_open_attempt} refuses a second one that could move money. */
public final class AttemptTable {

    private AttemptTable() {}

    private static final String INSERT = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state,
                                         request, request_sha256, sent_at, key_valid_until)
            SELECT psp_key, operation_id, payment_id, 'charge', generation, sequence, psp, 'in_flight',
                   request, request_sha256, sent_at, key_valid_until
              FROM unnest(?::text[], ?::text[], ?::text[], ?::int[], ?::int[], ?::text[], ?::bytea[], ?::bytea[],
                          ?::timestamptz[], ?::timestamptz[])
                AS row (psp_key, operation_id, payment_id, generation, sequence, psp, request, request_sha256,
                        sent_at, key_valid_until)
            """;

    public static void insert(Connection connection, List<Attempt> attempts) throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        try (var statement = connection.prepareStatement(INSERT)) {
            Columns.of(attempts, statement)
                    .with("text", attempt -> attempt.key().value())
                    .with("text", Attempt::operationId)
                    .with("text", attempt -> attempt.payment().value())
                    .with("int4", Attempt::generation)
                    .with("int4", Attempt::sequence)
                    .with("text", Attempt::psp)
                    .with("bytea", Attempt::request)
                    .with("bytea", attempt -> sha256(attempt.request()))
                    .with("timestamptz", Attempt::sentAt)
                    .with("timestamptz", Attempt::keyValidUntil);
            statement.executeUpdate();
        }
    }

    private static final String DECIDE = """
            UPDATE payment_attempt
               SET state = row.state, failed_definite = (row.state = 'failed_definite'), cause = row.cause,
                   message = left(row.message, 500), psp_reference = coalesce(row.psp_reference, payment_attempt.psp_reference),
                   decided_at = clock_timestamp()
              FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                AS row (psp_key, state, cause, message, psp_reference)
             WHERE payment_attempt.psp_key = row.psp_key AND payment_attempt.state IN ('in_flight', 'unknown')
            """;

    /** Records what is now known of attempts whose operations this transaction has locked. What is definite stays. */
    public static void decide(Connection connection, List<Told> heard) throws SQLException {
        if (heard.isEmpty()) {
            return;
        }
        try (var statement = connection.prepareStatement(DECIDE)) {
            Columns.of(heard, statement)
                    .with("text", told -> told.key().value())
                    .with("text", told -> told.state().tag())
                    .with("text", Told::cause)
                    .with("text", Told::detail)
                    .with("text", Told::pspReference);
            statement.executeUpdate();
        }
    }

    private static final String COLUMNS = """
            psp_key, operation_id, payment_id, generation, sequence, psp, state, request, sent_at, key_valid_until,
            psp_reference, cause, message
            """;

    private static final String FIND = "SELECT " + COLUMNS + " FROM payment_attempt WHERE psp_key = ANY (?)";

    public static List<Attempt> find(Connection connection, Collection<String> keys) throws SQLException {
        return query(connection, FIND, keys);
    }

    /** The union lets each half use its own partial index. */
    private static final String OF_PAYMENTS = "SELECT " + COLUMNS + """
              FROM payment_attempt WHERE payment_id = ANY (?) AND operation = 'charge' AND NOT failed_definite
             UNION ALL
            SELECT""" + " " + COLUMNS + """
              FROM payment_attempt WHERE payment_id = ANY (?) AND failed_definite
             ORDER BY sequence
            """;

    /** Every attempt for these payments, oldest first. */
    public static List<Attempt> ofPayments(Connection connection, Collection<String> payments) throws SQLException {
        return query(connection, OF_PAYMENTS, payments);
    }

    private static List<Attempt> query(Connection connection, String sql, Collection<String> ids) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                statement.setArray(i, connection.createArrayOf("text", ids.toArray()));
            }
            var attempts = new ArrayList<Attempt>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    attempts.add(read(result));
                }
            }
            return attempts;
        }
    }

    private static Attempt read(ResultSet result) throws SQLException {
        return new Attempt(new PspKey(result.getString("psp_key")), result.getString("operation_id"),
                new PaymentId(result.getString("payment_id")), result.getInt("generation"), result.getInt("sequence"),
                result.getString("psp"), AttemptState.fromTag(result.getString("state")), result.getBytes("request"),
                result.getObject("sent_at", OffsetDateTime.class).toInstant(),
                result.getObject("key_valid_until", OffsetDateTime.class).toInstant(),
                Optional.ofNullable(result.getString("psp_reference")), Optional.ofNullable(result.getString("cause")),
                Optional.ofNullable(result.getString("message")));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
