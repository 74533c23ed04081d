// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.DeclineFailover;
import io.chargeonce.payment.PaymentRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Optional;

/** How often one card and amount were presented again within 30 days: one count over all PSPs, also by a merge. */
public final class RetryBudget {

    private RetryBudget() {}

    private static final String OPTED_IN = "SELECT FROM merchant WHERE merchant_id = ? AND represent_declines";

    public static boolean isOptedIn(Connection connection, String merchant) throws SQLException {
        return Sql.any(connection, OPTED_IN, merchant);
    }

    private static final String FAILOVER = "SELECT decline_failover FROM merchant WHERE merchant_id = ?";

    /** Which of its declines go to another PSP. */
    public static DeclineFailover declineFailover(Connection connection, String merchant) throws SQLException {
        return Sql.first(connection, FAILOVER, row -> row.getString(1), merchant).flatMap(DeclineFailover::fromTag)
                .orElse(DeclineFailover.NEVER);
    }

    /**
     * Payments of one card and amount queue at a row of theirs that counts nothing. Otherwise two of them could both take the last
     * presentation. Any login could hold an advisory lock.
     */
    private static final String QUEUE = """
            INSERT INTO retry_budget (credential_sha256, amount, currency, day, presented) VALUES (?, ?, ?, 'epoch', 1)
            ON CONFLICT (credential_sha256, amount, currency, day) DO UPDATE SET presented = 1
            """;

    private static final String TAKE = """
            INSERT INTO retry_budget AS budget (credential_sha256, amount, currency, day, presented)
            SELECT ?, ?, ?, current_date, 1
             WHERE (SELECT coalesce(sum(presented), 0) FROM retry_budget
                     WHERE credential_sha256 = ? AND amount = ? AND currency = ? AND day > current_date - 30) < ?
            ON CONFLICT (credential_sha256, amount, currency, day) DO UPDATE SET presented = budget.presented + 1
            """;

    /** Takes one more presentation; false if {@code most} were taken within 30 days. */
    public static boolean take(Connection connection, PaymentRequest request, int most) throws SQLException {
        byte[] credential = sha256(request.paymentMethod());
        long amount = request.money().minorUnits();
        String currency = request.money().currency();
        Sql.update(connection, QUEUE, credential, amount, currency);
        return Sql.update(connection, TAKE, credential, amount, currency, credential, amount, currency, most) == 1;
    }

    private static final String TRIED_SINCE_THE_MERGE = """
            SELECT FROM payment_attempt WHERE payment_id = ? AND operation_id = ? AND generation = ? AND failed_definite LIMIT 1
            """;

    /** Whether the next attempt of this payment is the first since its merge, and its card was declined before that. */
    private static boolean isMergedAfterADecline(Connection connection, Operation operation) throws SQLException {
        if (operation.represented() == 0 || operation.generation() == 1) {
            return false;
        }
        return !Sql.any(connection, TRIED_SINCE_THE_MERGE, operation.accepted().payment().value(), operation.id(), operation.generation());
    }

    /**
     * A person has merged a payment whose card was declined before: its next attempt is a presentation too, and takes one here.
     *
     * @return why it must not be presented now; empty if it may be, or is none of these
     */
    public static Optional<String> refusal(Connection connection, Operation operation, int most) throws SQLException {
        PaymentRequest request = operation.accepted().request();
        return !isMergedAfterADecline(connection, operation) || take(connection, request, most) ? Optional.empty()
                : Optional.of(("its card was declined, and card networks fine more than %d presentations of one card and amount within 30 "
                        + "days: merge it from %s on, or purge it").formatted(most, freeFrom(connection, request)));
    }

    private static final String FREE_FROM = """
            SELECT min(day) + 30 FROM retry_budget WHERE credential_sha256 = ? AND amount = ? AND currency = ? AND day > current_date - 30
            """;

    private static LocalDate freeFrom(Connection connection, PaymentRequest request) throws SQLException {
        return Sql.one(connection, FREE_FROM, row -> row.getObject(1, LocalDate.class), sha256(request.paymentMethod()),
                request.money().minorUnits(), request.money().currency());
    }

    private static byte[] sha256(String credential) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(credential.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
