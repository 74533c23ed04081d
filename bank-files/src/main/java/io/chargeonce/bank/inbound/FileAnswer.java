// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.inbound;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.xml.BankMessage;
import io.chargeonce.bank.xml.BankMessage.FileStatus;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.DuplicateCodes;
import io.chargeonce.text.Cut;
import io.chargeonce.text.Printable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a bank says about a whole file of ours. Accepted, its items wait for their bookings. Rejected, it moved nothing, so each of its
 * items gets a line that frees it. That the file was there before is no rejection of what is there.
 */
sealed interface FileAnswer {

    record Applied() implements FileAnswer {}

    /** The file is still on its way, as far as is written here. */
    record NotYet(String why) implements FileAnswer {}

    /** It answers no file of ours, or takes back an earlier answer. */
    record Contradicts(String why) implements FileAnswer {}

    Logger LOG = LoggerFactory.getLogger(FileAnswer.class);
    Set<String> ACCEPTED = Set.of("ACCP", "ACTC", "ACSP", "ACSC", "ACWC", "ACCC", "ACFC");
    int LONGEST_CODE = 35;
    Set<String> NO_ANSWER_YET = Set.of("RCVD", "PDNG");

    String LOCK = """
            SELECT batch_id, state, due_on, sent_at IS NOT NULL, resends FROM bank_batch WHERE bank = ? AND message_id = ? FOR UPDATE
            """;

    /** Within the transaction that takes the message. */
    static FileAnswer apply(Connection connection, BankAccount account, long file, FileStatus status, BankMessage.Lines lines)
            throws SQLException {
        Optional<Ours> found = Sql.first(connection, LOCK, Ours::of, account.name(), status.originalMessageId());
        if (found.isEmpty()) {
            return new Contradicts("it answers a file that we never made");
        }
        Ours ours = found.get();
        return isAboutAnother(connection, file, ours) ? new Contradicts("it rejects an item of another file than the one that it answers")
                : apply(connection, account, file, status, ours, lines);
    }

    String ABOUT_ANOTHER = """
            SELECT EXISTS (SELECT FROM bank_line AS said JOIN bank_batch_item AS item USING (psp_key)
                            WHERE said.file_id = ? AND said.kind = 'rejected' AND item.batch_id IS DISTINCT FROM ?)
            """;

    private static boolean isAboutAnother(Connection connection, long file, Ours ours) throws SQLException {
        return Sql.one(connection, ABOUT_ANOTHER, row -> row.getBoolean(1), file, ours.id);
    }

    /** @param wasSent whether it reached the bank once; it may be on its way again */
    record Ours(long id, String state, LocalDate dueOn, boolean wasSent, int resends) {
        private static Ours of(ResultSet row) throws SQLException {
            return new Ours(row.getLong(1), row.getString(2), row.getObject(3, LocalDate.class), row.getBoolean(4), row.getInt(5));
        }
    }

    private static FileAnswer apply(Connection connection, BankAccount account, long file, FileStatus status, Ours ours,
                                    BankMessage.Lines lines)
            throws SQLException {
        boolean accepted = ACCEPTED.contains(status.status()) || status.status().equals("PART");
        return switch (ours.state) {
            case "accepted", "partly_accepted" -> accepted || NO_ANSWER_YET.contains(status.status())
                    || DuplicateCodes.isThereAlready(status.reason()) ? new Applied()
                            : new Contradicts("it rejects a file that the bank had accepted");
            case "rejected" ->
                status.status().equals("RJCT") ? new Applied() : new Contradicts("it accepts a file that the bank had rejected");
            default -> ours.wasSent ? first(connection, account, file, status, ours, lines) : new NotYet("our file is still " + ours.state);
        };
    }

    /** The bank's first word on a file that it has. */
    private static FileAnswer first(Connection connection, BankAccount account, long file, FileStatus status, Ours ours,
                                    BankMessage.Lines lines)
            throws SQLException {
        if (ACCEPTED.contains(status.status()) || status.status().equals("PART")) {
            return accept(connection, account, status, ours);
        }
        return status.status().equals("RJCT") ? reject(connection, account, file, status, ours, lines)
                : NO_ANSWER_YET.contains(status.status()) ? new Applied()
                        : new Contradicts("its status %s means nothing here".formatted(status.status()));
    }

    private static FileAnswer accept(Connection connection, BankAccount account, FileStatus status, Ours ours) throws SQLException {
        Instant until = account.windows().businessDaysAfter(ours.dueOn, account.bookedWithinDays()).atTime(LocalTime.MAX)
                .atZone(account.windows().zone()).toInstant();
        answer(connection, ours, status.status().equals("PART") ? "partly_accepted" : "accepted", Optional.of(until), Optional.empty());
        return new Applied();
    }

    String ANSWER = "SELECT answer_bank_batch(?, ?, ?, ?)";

    private static void answer(Connection connection, Ours ours, String answer, Optional<Instant> until, Optional<String> why)
            throws SQLException {
        if (!Sql.one(connection, ANSWER, row -> row.getBoolean(1), ours.id, answer, until, why)) {
            throw new IllegalStateException("Bug! File %d cannot be %s".formatted(ours.id, answer));
        }
    }

    String TO_FREE = """
            SELECT psp_key FROM bank_batch_item AS item
             WHERE batch_id = ?
               AND NOT EXISTS (SELECT FROM bank_line AS said
                                WHERE said.psp_key = item.psp_key
                                  AND (said.file_id = ? AND kind = 'rejected' OR ? AND kind = 'file_rejected' AND code IS NULL))
             ORDER BY item_id
            """;

    /** A line for each item that the message itself does not reject. Without a reason one is enough, however often the bank says it. */
    private static void freeItems(Connection connection, long file, FileStatus status, Ours ours, BankMessage.Lines lines)
            throws SQLException {
        String code = Cut.to(LONGEST_CODE, status.reason());
        Sql.each(connection, 1_000, TO_FREE, row -> lines.add(new BankMessage.Line("file_rejected", row.getString(1), Optional.empty(),
                Optional.empty(), Optional.empty(), code, "", Optional.empty())), ours.id, file, code.isEmpty());
    }

    String WITHOUT_A_REASON = """
            SELECT EXISTS (SELECT FROM bank_batch_item AS item
                            WHERE batch_id = ? AND NOT EXISTS (SELECT FROM bank_line AS said
                                                                WHERE said.psp_key = item.psp_key AND said.file_id = ?
                                                                  AND kind = 'rejected' AND code <> ALL (?::text[])))
            """;

    /** Whether this file rejects each item for itself, and none as a duplicate. */
    private static boolean eachHasAReason(Connection connection, long file, Ours ours) throws SQLException {
        return !Sql.one(connection, WITHOUT_A_REASON, row -> row.getBoolean(1), ours.id, file, DuplicateCodes.all());
    }

    String HAS_MOVED = """
            SELECT EXISTS (SELECT FROM bank_batch_item AS item JOIN bank_line AS said ON said.psp_key = item.psp_key
                            WHERE item.batch_id = ? AND said.kind IN ('booked', 'returned'))
            """;

    private static boolean hasMoved(Connection connection, Ours ours) throws SQLException {
        return Sql.one(connection, HAS_MOVED, row -> row.getBoolean(1), ours.id);
    }

    private static FileAnswer reject(Connection connection, BankAccount account, long file, FileStatus status, Ours ours,
                                     BankMessage.Lines lines)
            throws SQLException {
        if (DuplicateCodes.isThereAlready(status.reason())) {
            // The first copy is there, and its answer is still to come.
            return new Applied();
        }
        // What follows frees each item for another file. So it must be certain that no copy of this one was or will be executed.
        if (ours.resends > 0) {
            return new Contradicts("it rejects a file that was sent twice: ask the bank which of the two, and what became of the other");
        }
        if (hasMoved(connection, ours)) {
            return new Contradicts("it rejects a file of which the bank has booked or returned an item");
        }
        boolean mayBeADuplicate = status.reason().isEmpty() && !eachHasAReason(connection, file, ours);
        freeItems(connection, file, status, ours, lines);
        if (mayBeADuplicate) {
            // Its lines wait for a person, and the bank's answer to what is there may still come.
            return new Applied();
        }
        String why = status.reason().isEmpty() ? "each item for itself" : status.reason();
        answer(connection, ours, "rejected", Optional.empty(), Optional.of("rejected by the bank: " + why));
        LOG.error("ALERT: {} rejects the whole file {} ({}); its items continue in other files, which may be rejected too: see bank "
                + "show {}, and ask the bank", account.name(), status.originalMessageId(), Printable.of(why), ours.id);
        return new Applied();
    }
}
