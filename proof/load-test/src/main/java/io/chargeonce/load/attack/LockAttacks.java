// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Locks that a low login of Postgres can hold: any login may hold advisory locks. Meanwhile an honest payment of another merchant must be
 * accepted, published, charged and refunded.
 */
final class LockAttacks {

    private static final List<String> LOW = List.of("chargeonce_dlq_reader", "chargeonce_merchant_admin", "chargeonce_webhooks",
            "chargeonce_receipts", "chargeonce_reconciler");
    private static final Duration SOON = Duration.ofSeconds(45);

    private LockAttacks() {}

    static final List<Attack> ALL = List.of(Attack.crowd("stolen-locks",
            "a thousand locks that a login without rights can guess, and those that others hold", LockAttacks::hold));

    /** Those that services used or use: by numbers, by the text of what is known of a payment, and those that are held now. */
    private static List<String> guesses(String payment) {
        var locks = new ArrayList<String>();
        for (int number = 0; number < 500; number++) {
            locks.add("SELECT pg_advisory_lock(%d)".formatted(number));
            locks.add("SELECT pg_advisory_lock(%d, %d)".formatted(0x0c4a, number));
        }
        for (int seed = 0; seed < 10; seed++) {
            for (String text : List.of("'" + payment + "'", "'pm_card_visa'", "encode(sha256('pm_card_visa'), 'hex')", "'acme'", "'globex'",
                    "'relay'", "'audit_seal'", "current_date::text", "'EUR'")) {
                locks.add("SELECT pg_advisory_lock(hashtextextended(%s, %d))".formatted(text, seed));
            }
        }
        return locks;
    }

    private static Result hold(AttackSession siege) throws IOException, SQLException {
        Optional<String> login = LOW.stream().filter(siege.target.logins()::containsKey).findFirst();
        if (siege.target.database().isEmpty() || login.isEmpty()) {
            return new Result.NotTried("--database URL --login " + LOW.getFirst() + "=PASSWORD_FILE");
        }
        String before = siege.paymentOfTheOther();
        var waiting = new ArrayList<Connection>();
        try (Connection holder = DatabaseAttacks.login(siege.target, login.get()); Statement statement = holder.createStatement()) {
            holder.setAutoCommit(true);
            statement.execute("SET lock_timeout = '100ms'");
            int held = 0;
            for (String lock : guesses(before)) {
                statement.execute(lock);
                held++;
            }
            for (String mark : marks(statement)) {
                Connection heir = DatabaseAttacks.login(siege.target, login.get());
                waiting.add(heir);
                // Gets the lock as soon as its holder ends.
                Thread.ofVirtual().start(() -> await(heir, mark));
            }
            return meanwhile(siege, held, waiting.size());
        } catch (SQLException e) {
            if (DatabaseAttacks.isNoLogin(e)) {
                return new Result.NotTried("a login that Postgres lets in (%s)".formatted(e.getMessage()));
            }
            throw e;
        } finally {
            for (Connection heir : waiting) {
                heir.abort(Runnable::run);
            }
        }
    }

    private static List<String> marks(Statement statement) throws SQLException {
        var marks = new ArrayList<String>();
        try (var row = statement.executeQuery("SELECT DISTINCT classid::bigint::int, objid::bigint::int FROM pg_locks "
                + "WHERE locktype = 'advisory' AND objsubid = 2 AND pid <> pg_backend_pid() LIMIT 20")) {
            while (row.next()) {
                marks.add("SELECT pg_advisory_lock(%d, %d)".formatted(row.getInt(1), row.getInt(2)));
            }
        }
        return marks;
    }

    private static void await(Connection heir, String lock) {
        try (Statement statement = heir.createStatement()) {
            statement.execute(lock);
        } catch (SQLException ended) {
            // With the attack.
        }
    }

    private static Result meanwhile(AttackSession siege, int held, int waits) throws IOException {
        String id = siege.paymentOfTheOther();
        String path = AttackSession.PAYMENTS + "/" + id;
        long deadline = System.nanoTime() + SOON.toNanos();
        Reply payment = siege.ask("GET", path, AttackSession.as(siege.target.other()), "");
        while (!payment.text().matches("(?s).*\"status\"\\s*:\\s*\"succeeded\".*")) {
            if (System.nanoTime() > deadline) {
                return new Result.Fell("beside %,d locks a payment was not charged in %d s: %s".formatted(held, SOON.toSeconds(), payment));
            }
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            payment = siege.ask("GET", path, AttackSession.as(siege.target.other()), "");
        }
        Reply refund =
                siege.ask("POST", path + "/refunds", AttackSession.as(siege.target.other()) + AttackSession.json(AttackSession.newKey()),
                        "{\"amount\":1}");
        return AttackSession.judge(refund.status() == 202, "beside %,d locks and %d awaited ones a payment was charged; its refund: %s"
                .formatted(held, waits, refund));
    }
}
