// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.bank;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The attempts that are collected for banks, by functions that take money and mandate from the attempt's own rows. */
public final class BankItems {

    /**
     * Where an attempt is on its way.
     *
     * @param note    why it was given up before; empty if a person did, or if it was not
     * @param message the id of its file, once it is in one
     * @param state   the file's state; empty before
     * @param atBank  whether the file is there, and goes no second time by what is written here
     * @param due     how long the bank may still be silent; negative if it is late
     * @param another whether it was another attempt of the same key: its payment was forgotten, and the key was used again
     */
    record Standing(boolean fenced, String note, Optional<String> message, String state, boolean atBank, Duration due, boolean another) {}

    private BankItems() {}

    private static final String COLLECT = "SELECT collect_for_bank(?)";

    static String collect(Connection connection, PspKey key) throws SQLException {
        return Sql.one(connection, COLLECT, row -> row.getString(1), key.value());
    }

    private static final String FENCE = "SELECT fence_for_bank(?)";

    /** False if it was collected before. */
    static boolean fence(Connection connection, PspKey key) throws SQLException {
        return Sql.one(connection, FENCE, row -> row.getBoolean(1), key.value());
    }

    private static final String RECALL = "SELECT recall_for_bank(?)";

    /** False if a file has it. */
    static boolean recall(Connection connection, PspKey key) throws SQLException {
        return Sql.one(connection, RECALL, row -> row.getBoolean(1), key.value());
    }

    private static final String GIVE_UP = "SELECT give_up_for_bank(?)";

    /**
     * A person has settled an attempt as not charged, so its file is never sent again. Within the transaction that settles it.
     *
     * @return false if its file may yet go out; true too if it is no attempt at a bank
     */
    public static boolean giveUp(Connection connection, PspKey key) throws SQLException {
        return Sql.one(connection, GIVE_UP, row -> row.getBoolean(1), key.value());
    }

    /** An attempt is collected after it was made, and no key is free again within 45 days. Half of that allows for clocks that were set. */
    private static final String FIND = """
            SELECT fenced, coalesce(note, ''), message_id, coalesce(file.state, ''),
                   coalesce(file.state IN ('sent', 'accepted', 'partly_accepted', 'rejected'), false),
                   (extract(epoch FROM item.answer_due - clock_timestamp()) * 1000)::bigint,
                   coalesce(collected_at < made.sent_at - interval '22 days', false)
              FROM bank_batch_item AS item LEFT JOIN bank_batch AS file USING (batch_id) LEFT JOIN payment_attempt AS made USING (psp_key)
             WHERE psp_key = ?
            """;

    static Optional<Standing> find(Connection connection, PspKey key) throws SQLException {
        return Sql.first(connection, FIND, row -> new Standing(row.getBoolean(1), row.getString(2), Optional.ofNullable(row.getString(3)),
                row.getString(4), row.getBoolean(5), Duration.ofMillis(row.getLong(6)), row.getBoolean(7)), key.value());
    }
}
