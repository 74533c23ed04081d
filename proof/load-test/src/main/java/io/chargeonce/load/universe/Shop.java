// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.accept.AcceptRequest;
import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.traffic.Wallet;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import io.chargeonce.load.universe.outside.BankModel;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspKey;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import tools.jackson.databind.json.JsonMapper;

/** The clients: each wants one payment, asks until it has an answer, and sometimes asks again, or for something else. */
final class Shop {

    static final List<String> MERCHANTS = List.of("shop-1", "shop-2");
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** A refund of a payment that never succeeds waits to its own deadline. */
    private static final Duration SHORTEST_REFUND = Duration.ofSeconds(5);
    private static final Duration LONGEST_REFUND = Duration.ofSeconds(25);
    private static final Duration LONGEST_CHANGE_OF_MIND = Duration.ofSeconds(3);
    private static final Duration LATE_PATIENCE = Duration.ofSeconds(1);
    private static final int MOST_TRIES = 6;
    private static final int THEFTS = 6;
    private static final double DEBITS = 0.5;
    private static final double STORED = 0.3;
    private static final double DETACHED = 0.1;
    private static final Object LET_IN = new Object();
    private static final Object REFUSED = new Object();
    /** Postgres was away. */
    private static final Object UNCLEAR = new Object();
    private static final JsonMapper JSON = new JsonMapper();

    /** @param note what the merchant says about it, if anything */
    private record Purchase(String merchant, String key, long amount, String currency, String card, Note note) {

        PaymentRequest request() {
            Optional<String> person = note == Note.PERSONAL ? Optional.of(person(key)) : Optional.empty();
            return new PaymentRequest(new Money(amount, currency), card,
                    person.map(name -> Wallet.holds(card) ? Wallet.customer(merchant) : "cus_" + key), Optional.of("order-" + key),
                    person.map(name -> "for " + name), person);
        }

        byte[] body() {
            var body = new HashMap<String, Object>(
                    Map.of("amount", amount, "currency", currency, "payment_method", card, "reference", "order-" + key));
            if (card.startsWith("mandate_")) {
                body.put("rail", "bank_debit");
            }
            if (note == Note.CARD_NUMBER) {
                body.put("description", "card " + CardTraffic.IN_A_BODY);
            }
            return JSON.writeValueAsBytes(body);
        }

        Purchase dearer() {
            return new Purchase(merchant, key, amount + 1, currency, card, note);
        }

        ClientCall ended(ClientCall.Result result, Optional<String> id) {
            return new ClientCall(merchant, key, new ClientCall.Content(amount, currency, card), result, id);
        }
    }

    private enum Note { NONE, PERSONAL, CARD_NUMBER }

    /** Stands in the description and the address of the payment with this key. Its customer is on topics too, which nothing erases. */
    static String person(String key) {
        return "person-" + key + "@example.com";
    }

    private final Cluster cluster;
    private final Broker broker;
    /** Whether some cards have no money at first. */
    private final boolean poor;
    private final boolean personal;
    /** Whether customers get receipts from us. */
    private final boolean mailed;
    private final boolean cards;
    private final boolean debits;
    private final boolean cancels;
    /** Whether some of the keys were used long ago. */
    private final boolean oldKeys;
    /** Without it no token is asked for. */
    private final Optional<Tokens> tokens;
    private final UniverseWitness witness;
    /** By merchant: the key of each payment. */
    private final Map<String, Map<String, String>> known = new HashMap<>();
    private final List<ClientCall> calls = new ArrayList<>();
    private final List<RefundCall> refunds = new ArrayList<>();
    private int open;
    private int sold;
    private int stolen;

    Shop(Cluster cluster, Broker broker, FaultScheduler scheduler, Optional<Tokens> tokens, UniverseWitness witness) {
        this.cluster = cluster;
        this.broker = broker;
        this.poor = scheduler.knows(Fault.SOFT_DECLINE);
        this.mailed = scheduler.knows(Fault.MAIL_SERVER);
        this.personal = scheduler.knows(Fault.ERASURE);
        this.cards = scheduler.knows(Fault.CARD_DATA);
        this.debits = scheduler.knows(Fault.BANK);
        this.cancels = scheduler.knows(Fault.CANCEL);
        this.oldKeys = scheduler.knows(Fault.OLD_KEY);
        this.tokens = tokens;
        this.witness = witness;
    }

    /** By payment id the keys of all that were ever asked for. */
    Map<String, String> soldBy(String merchant) {
        return known.getOrDefault(merchant, Map.of());
    }

    private Purchase known(Purchase purchase) {
        known.computeIfAbsent(purchase.merchant, unseen -> new TreeMap<>()).put(id(purchase), purchase.key);
        return purchase;
    }

    private static String id(Purchase purchase) {
        return PaymentId.derive(purchase.merchant, new IdempotencyKey(purchase.key)).value();
    }

    List<ClientCall> calls() {
        return calls;
    }

    List<RefundCall> refunds() {
        return refunds;
    }

    boolean isClosed() {
        return open == 0;
    }

    void open(int purchases, Duration within) {
        Kernel kernel = Kernel.it();
        for (int i = 1; i <= purchases; i++) {
            String merchant = "shop-" + (1 + kernel.random().nextInt(2));
            boolean byDebit = debits && kernel.chance(DEBITS);
            String card = byDebit ? mandate(kernel) + merchant
                    : kernel.chance(STORED) ? Wallet.any(kernel.random(), merchant) : card(kernel);
            var purchase = known(new Purchase(merchant, "key-" + i, 100 + i, byDebit || kernel.chance(0.8) ? "EUR" : "USD", card,
                    personal || mailed && kernel.chance(0.6) ? Note.PERSONAL : cards && kernel.chance(0.3) ? Note.CARD_NUMBER : Note.NONE));
            if (oldKeys && !byDebit && kernel.chance(0.5)) {
                usedLongAgo(purchase);
            }
            Duration start = kernel.between(Duration.ZERO, within);
            open++;
            // What is published counts as accepted, and a stored method may be detached, or a mandate revoked, before it is read.
            boolean canEnd = Wallet.holds(purchase.card) || purchase.card.startsWith(BankModel.UNREADABLE);
            boolean byTopic = !broker.intakeTopics().isEmpty() && !canEnd && kernel.chance(0.4);
            kernel.spawn(kernel.world(), "client", () -> {
                kernel.sleep(start);
                if (byTopic) {
                    publish(purchase);
                } else {
                    shop(purchase);
                }
                open--;
            });
        }
    }

    /** A good one, now. */
    void sellOne() {
        sellOne("shop-1");
    }

    /** Returns the payment's id. */
    String sellOne(String merchant) {
        sold++;
        return sellAgain(merchant, sold);
    }

    /** The one that was sold as that number, under its key. */
    String sellAgain(String merchant, int number) {
        var purchase = known(new Purchase(merchant, "late-" + number, 1_000 + number, "EUR", "pm_good", Note.NONE));
        Kernel kernel = Kernel.it();
        kernel.spawn(kernel.world(), "client", () -> {
            for (int i = 0; i < MOST_TRIES && !send(purchase); i++) {
                kernel.sleep(LATE_PATIENCE);
            }
        });
        return id(purchase);
    }

    /** A thief pays with a stolen token, one payment after the other, half of them in a batch that stays open. */
    void stealWith(String merchant, String token) {
        Kernel kernel = Kernel.it();
        kernel.spawn(kernel.world(), "thief", () -> {
            for (int i = 1; i <= THEFTS; i++) {
                stolen++;
                send(known(new Purchase(merchant, "stolen-" + stolen, 2_000 + stolen, "EUR", "pm_good", Note.NONE)), Optional.of(token),
                        i % 2 == 0);
                kernel.sleep(kernel.between(Duration.ofSeconds(1), Duration.ofSeconds(3)));
            }
        });
    }

    private static void usedLongAgo(Purchase purchase) {
        PaymentId payment = PaymentId.derive(purchase.merchant, new IdempotencyKey(purchase.key));
        ((StripeModel) Cluster.psp("stripe")).capturedLongAgo(payment.value(),
                PspKey.derive(payment, "charge", "", "stripe", 1).value(), purchase.amount, purchase.currency);
    }

    /** One that is declined, for good or once, one whose PSP breaks each time before it does anything, or a good one. */
    private String card(Kernel kernel) {
        if (poor && kernel.chance(0.3)) {
            return kernel.chance(0.5) ? "pm_poor" : "pm_unanswered";
        }
        return kernel.chance(0.15) ? "pm_declined" : kernel.chance(0.2) ? "pm_broken" : "pm_good";
    }

    private static String mandate(Kernel kernel) {
        return kernel.chance(0.1) ? BankModel.NO_FUNDS : kernel.chance(0.1) ? BankModel.CLOSED
                : kernel.chance(0.15) ? BankModel.RETURNED : kernel.chance(0.1) ? BankModel.UNREADABLE : BankModel.GOOD;
    }

    /** Kafka's acknowledgement is the merchant's: it asks no more. */
    private void publish(Purchase purchase) {
        Kernel kernel = Kernel.it();
        kernel.await(() -> !broker.isDown(), SimulatedThread.NEVER);
        byte[] key = purchase.key.getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<byte[], byte[]>(Broker.INTAKE + purchase.merchant, key, purchase.body());
        broker.append(broker.partitionOf(record), record);
        kernel.note(purchase.key + " published");
        if (purchase.note == Note.CARD_NUMBER) {
            calls.add(purchase.ended(ClientCall.Result.FAIL, Optional.empty()));
            return;
        }
        calls.add(purchase.ended(ClientCall.Result.OK, Optional.of(id(purchase))));
        thinkAgain(purchase);
    }

    private void shop(Purchase purchase) {
        Kernel kernel = Kernel.it();
        for (int i = 0; i < MOST_TRIES && !send(purchase); i++) {
            kernel.sleep(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(2)));
        }
        if (kernel.chance(0.3)) {
            send(purchase);
        }
        if (kernel.chance(0.15)) {
            send(purchase.dearer());
        }
        thinkAgain(purchase);
    }

    private void thinkAgain(Purchase purchase) {
        Kernel kernel = Kernel.it();
        if (cancels && kernel.chance(0.4)) {
            cancel(purchase);
        }
        if (kernel.chance(0.25)) {
            refund(purchase);
        }
        if (Wallet.holds(purchase.card) && kernel.chance(DETACHED)) {
            cluster.ingest().ifPresent(
                    host -> kernel.spawn(host, "detach", () -> UniverseOperator.detach(purchase.merchant, purchase.card)));
        }
    }

    /** Twice, by its merchant or a person. */
    private void cancel(Purchase purchase) {
        Kernel kernel = Kernel.it();
        for (int i = 0; i < 2; i++) {
            boolean atOnce = kernel.chance(0.5);
            kernel.sleep(atOnce ? Duration.ZERO : kernel.between(Duration.ZERO, LONGEST_CHANGE_OF_MIND));
            boolean byAPerson = kernel.chance(0.3);
            cluster.ingest().ifPresent(
                    host -> kernel.spawn(host, "cancel", () -> UniverseOperator.cancel(purchase.merchant, id(purchase), byAPerson)));
        }
    }

    /** Returns whether there was an answer. The process may die over it, and its answer with it. */
    private boolean send(Purchase purchase) {
        return send(purchase, Optional.empty(), Kernel.it().chance(tokens.isEmpty() ? 0 : 0.5));
    }

    /**
     * @param stolen the token; empty for the merchant's own of the moment
     * @param batch  whether it comes within a batch that the token has opened before
     */
    private boolean send(Purchase purchase, Optional<String> stolen, boolean batch) {
        Kernel kernel = Kernel.it();
        Optional<Host> ingest = cluster.ingest();
        var answer = new Object[1];
        ingest.ifPresent(host -> kernel.spawn(host, "request", () -> {
            long asked = kernel.now();
            Optional<String> token = stolen.or(() -> tokens.map(all -> all.of(purchase.merchant)));
            Object door = enter(token, batch);
            if (door == LET_IN) {
                answer[0] = purchase.note == Note.CARD_NUMBER && PaymentBody.read(purchase.body()) instanceof Checked.Wrong ? REFUSED
                        : accept(SimulationHooks.doorOf(host), purchase);
                seeWhetherItWasDead(token, asked, purchase, answer[0]);
            } else {
                answer[0] = door;
            }
        }));
        kernel.await(() -> answer[0] != null, kernel.after(PATIENCE));
        ClientCall call = answer[0] == null ? purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty()) : read(purchase, answer[0]);
        calls.add(call);
        kernel.note(purchase.key + " " + call.result());
        return call.result() != ClientCall.Result.UNKNOWN;
    }

    private Object enter(Optional<String> token, boolean batch) {
        try {
            return token.isEmpty() || tokens.orElseThrow().lets(token.get(), batch) ? LET_IN : REFUSED;
        } catch (RuntimeException away) {
            Kernel.it().note("a token could not be looked up");
            return UNCLEAR;
        }
    }

    private void seeWhetherItWasDead(Optional<String> token, long asked, Purchase purchase, Object answer) {
        boolean accepted = read(purchase, answer).result() == ClientCall.Result.OK;
        if (accepted && token.isPresent() && tokens.orElseThrow().isDead(token.get(), asked)) {
            witness.saw(Invariant.RIGHTS_HOLD, "%s was accepted by a token that had expired, or had been revoked more than %d s before"
                    .formatted(purchase.key, Tokens.DEAD_AFTER.toSeconds()));
        }
    }

    /** Of all or of a part, and asked for twice. */
    private void refund(Purchase purchase) {
        if (purchase.card.startsWith(BankModel.RETURNED)) {
            // A return and a refund may cross, and then the payer has both.
            return;
        }
        Kernel kernel = Kernel.it();
        OptionalLong amount = kernel.chance(0.5) ? OptionalLong.empty() : OptionalLong.of(50);
        for (int i = 0; i < 2; i++) {
            var ask = new Refunds.RefundRequest(purchase.merchant, PaymentId.derive(purchase.merchant, new IdempotencyKey(purchase.key)),
                    amount,
                    Optional.empty());
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(2)));
            Duration within = kernel.between(SHORTEST_REFUND, LONGEST_REFUND);
            cluster.ingest().ifPresent(host -> kernel.spawn(host, "refund", () -> {
                try {
                    var answer = SimulationHooks.database().inTransaction(
                            connection -> Refunds.accept(connection, new Topics("payments"), ask, within, KnownPsps.BUILT_IN));
                    if (answer instanceof Refunds.Answer.Accepted accepted) {
                        refunds.add(new RefundCall(ask.payment().value(), ask.reference(), ask.amount(), ClientCall.Result.OK,
                                Optional.of(accepted.refund().id())));
                    }
                } catch (DatabaseUnavailable | DatabaseRefused answeredWithAnError) {
                    kernel.note("a refund was not answered");
                }
            }));
        }
    }

    private static Object accept(Function<Object, Object> door, Purchase purchase) {
        return door.apply(AcceptRequest.of(purchase.merchant, new IdempotencyKey(purchase.key), purchase.request(),
                "127.0.0.1", Kernel.it().clock()));
    }

    private static ClientCall read(Purchase purchase, Object answer) {
        if (answer == REFUSED || answer == UNCLEAR) {
            return purchase.ended(answer == REFUSED ? ClientCall.Result.FAIL : ClientCall.Result.UNKNOWN, Optional.empty());
        }
        Answer told = (Answer) answer;
        int status = told.status();
        if (status >= 500) {
            return purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty());
        }
        if (status != 202) {
            return purchase.ended(ClientCall.Result.FAIL, Optional.empty());
        }
        return purchase.ended(ClientCall.Result.OK, Optional.of(JSON.readTree(told.body()).path("id").asString()));
    }
}
