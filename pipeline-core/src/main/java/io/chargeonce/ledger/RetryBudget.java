// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.PaymentRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;

/** How often one card and amount were presented again within 30 days: one count over all PSPs. */
public final class RetryBudget {

    private RetryBudget() {}

    private static final String OPTED_IN = "SELECT FROM merchant WHERE merchant_id = ? AND represent_declines";

    public static boolean isOptedIn(Connection connection, String merchant) throws SQLException {
        try (var statement = connection.prepareStatement(OPTED_IN)) {
            statement.setString(1, merchant);
            return statement.executeQuery().next();
        }
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
        try (var queue = connection.prepareStatement(QUEUE); var take = connection.prepareStatement(TAKE)) {
            queue.setBytes(1, credential);
            queue.setLong(2, request.money().minorUnits());
            queue.setString(3, request.money().currency());
            queue.execute();
            for (int i = 1; i <= 4; i += 3) {
                take.setBytes(i, credential);
                take.setLong(i + 1, request.money().minorUnits());
                take.setString(i + 2, request.money().currency());
            }
            take.setInt(7, most);
            return take.executeUpdate() == 1;
        }
    }

    private static byte[] sha256(String credential) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(credential.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
