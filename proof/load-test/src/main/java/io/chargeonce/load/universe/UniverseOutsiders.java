// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.outside.MailRoom;
import io.chargeonce.load.universe.outside.ModelReceivers;
import io.chargeonce.notifications.receipt.ReceiptBook;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who hears of payments: merchants' receivers and customers' mailboxes, their faults, and a person who sends again what was not delivered.
 * A universe has them only if it knows their faults. Only the strand that has the turn may call it.
 */
final class UniverseOutsiders implements ArrivalEvidence {

    /** Of a webhook, in seconds that a universe has. */
    static final List<Duration> SCHEDULE = List.of(Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofSeconds(1));

    private static final Duration SHORTEST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(8);
    private static final int MORE_MENDINGS = 2;
    private static final String PERSON = "person";

    private final Kernel kernel;
    private final PostgresView postgres;
    private final UniverseWitness witness;
    private final ModelReceivers receivers = new ModelReceivers();
    private final MailRoom mail = new MailRoom();
    private final boolean hooked;
    private final boolean mailed;
    /** Whether a person is still to send again what died. */
    private boolean mending;

    UniverseOutsiders(Kernel kernel, FaultScheduler scheduler, PostgresView postgres, Broker broker, UniverseWitness witness) {
        this.kernel = kernel;
        this.postgres = postgres;
        this.witness = witness;
        this.hooked = scheduler.knows(Fault.RECEIVER);
        this.mailed = scheduler.knows(Fault.MAIL_SERVER);
        receivers.enter();
        mail.enter();
        if (mailed) {
            broker.create("payments.receipts", 1, true);
        }
    }

    /** Merchants add their endpoints, and everything may go wrong from here on. */
    void begin(Cluster cluster) {
        if (mailed) {
            cluster.mailReceipts();
        }
        if (hooked) {
            ModelReceivers.ENDPOINTS.forEach(one -> one.inserted(ModelReceivers.url(one)).forEach(postgres::change));
            receivers.unkind(kernel.chance(0.6));
        }
        if (mailed) {
            mail.unkind(kernel.chance(0.6));
            mail.greylist(kernel.chance(0.4));
        }
        cluster.startSenders(hooked, mailed);
    }

    Map<Fault, Runnable> all() {
        var all = new EnumMap<Fault, Runnable>(Fault.class);
        if (hooked) {
            all.put(Fault.RECEIVER, this::hurtReceiver);
        }
        if (mailed) {
            all.put(Fault.MAIL_SERVER, this::hurtMail);
        }
        return all;
    }

    private void hurtReceiver() {
        if (kernel.chance(0.3)) {
            sendAgain(false);
            return;
        }
        var endpoint = ModelReceivers.ENDPOINTS.get(kernel.random().nextInt(ModelReceivers.ENDPOINTS.size()));
        if (kernel.chance(0.15)) {
            kernel.tell("a receiver moved", "receiver " + endpoint.name() + " has another address");
            receivers.move(endpoint);
            return;
        }
        ModelReceivers.Mood mood = ModelReceivers.anyTrouble(kernel);
        Duration time = kernel.between(SHORTEST, LONGEST);
        kernel.tell("a receiver hurt", "receiver " + endpoint.name() + " " + mood + " for " + time.toMillis() + " ms");
        receivers.mood(endpoint, mood);
        later(time, () -> receivers.mood(endpoint, ModelReceivers.Mood.WELL));
    }

    private void hurtMail() {
        if (kernel.chance(0.2)) {
            sendAgain(false);
            return;
        }
        MailRoom.Mood mood = MailRoom.anyTrouble(kernel);
        Duration time = kernel.between(SHORTEST, LONGEST);
        kernel.tell("the mail server hurt", "the mail server " + mood + " for " + time.toMillis() + " ms");
        mail.mood(mood);
        later(time, () -> mail.mood(MailRoom.Mood.WELL));
    }

    private void later(Duration time, Runnable heals) {
        kernel.spawn(kernel.world(), "heal", () -> {
            kernel.sleep(time);
            heals.run();
        });
    }

    private static final String ANY_WEBHOOK = """
            SELECT webhook_id FROM webhook_delivery WHERE attempts > 0 ORDER BY attempts DESC, webhook_id LIMIT 1
            """;
    private static final String ANY_RECEIPT = "SELECT receipt_id FROM receipt WHERE state IN ('sent', 'dead') ORDER BY receipt_id LIMIT 1";

    /** A person sends something again, half the time while it is under way; or everything that is dead. */
    private void sendAgain(boolean everything) {
        kernel.tell("sent again", "a person sends " + (everything ? "all that is dead" : "something") + " again");
        Database database = SimulationHooks.database();
        var endpoints = new EndpointTable(database, Vault.IN_THE_CLEAR, new Caller.Person(PERSON));
        var deliveries = new DeliveryBook(database, new Caller.Person(PERSON));
        var receipts = new ReceiptBook(database, PERSON);
        try {
            if (everything || kernel.chance(0.5)) {
                ModelReceivers.ENDPOINTS.stream().filter(one -> hooked).forEach(one -> {
                    endpoints.enable(one.id());
                    deliveries.redeliverDeadOf(one.id(), 1_000);
                });
                receipts.resendDead(Optional.empty());
                receivers.forgotten().forEach(deliveries::redeliver);
                mail.forgotten().forEach(receipts::resend);
            } else {
                postgres.text(ANY_WEBHOOK).ifPresent(deliveries::redeliver);
                postgres.text(ANY_RECEIPT).ifPresent(receipts::resend);
            }
        } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
            kernel.note("a person was not answered");
        }
    }

    private static final String DEAD_TOO_EARLY = """
            SELECT string_agg(webhook_id || ' of ' || last_error, ', ') FROM webhook_delivery
             WHERE state = 'dead' AND attempts <= %d AND last_error <> 'endpoint_disabled'
            """.formatted(SCHEDULE.size());
    private static final String DEAD = """
            SELECT string_agg(webhook_id || ' of ' || last_error, ', ') FROM webhook_delivery WHERE state = 'dead'
            """;
    private static final String DEAD_RECEIPTS = """
            SELECT string_agg(receipt_id || ' of ' || last_error, ', ')
              FROM receipt JOIN operation AS charge ON charge.operation_id = receipt.payment_id
             WHERE state = 'dead' AND receipt_email <> '[erased]'
            """;

    /** At the end: nothing is wrong, and whatever was dead has been sent again since all is well. */
    void judge() {
        require(Invariant.WEBHOOKS_AGREE, DEAD, "died although their receivers were well");
        require(Invariant.RECEIPTS_AGREE, DEAD_RECEIPTS, "died although the mail server was well");
    }

    private void require(Invariant invariant, String dead, String how) {
        postgres.text(dead).ifPresent(them -> witness.saw(invariant, them + " " + how));
    }

    /** All that was wrong here is well, and then what died of it is sent again. */
    void heal() {
        receivers.allWell();
        mail.allWell();
        if (hooked || mailed) {
            mending = true;
            kernel.spawn(kernel.world(), "mended", () -> {
                kernel.sleep(LONGEST);
                require(Invariant.WEBHOOKS_AGREE, DEAD_TOO_EARLY, "died before all of their tries");
                sendAgain(true);
                // A try from before may have hung, and says only now that it failed.
                for (int i = 0; i < MORE_MENDINGS; i++) {
                    kernel.sleep(LONGEST);
                    if (postgres.text(DEAD).isPresent() || postgres.text(DEAD_RECEIPTS).isPresent()) {
                        sendAgain(true);
                    }
                }
                mending = false;
            });
        }
    }

    private static final String WAITING = """
            SELECT 'waiting' WHERE EXISTS (SELECT FROM webhook_delivery JOIN webhook_endpoint USING (endpoint_id)
                                            WHERE state = 'waiting' AND disabled_by IS NULL)
                                OR EXISTS (SELECT FROM receipt WHERE state = 'waiting')
            """;

    boolean areAtRest(Broker broker) {
        return !mending && (!hooked || broker.group("payments.webhooks.workers").hasFinished("payments.outcomes")
                && broker.group("payments.webhooks.workers").hasFinished("payments.disputes"))
                && (!mailed || broker.group("payments.receipts.workers").hasFinished("payments.receipts"))
                && (!hooked && !mailed || postgres.text(WAITING).isEmpty());
    }

    boolean mailed() {
        return mailed;
    }

    boolean areThere() {
        return hooked || mailed;
    }

    @Override
    public List<Webhook> webhooks() {
        return receivers.kept();
    }

    @Override
    public List<Mail> mails() {
        return mail.kept();
    }

    @Override
    public int tries() {
        return SCHEDULE.size() + 1;
    }
}
