// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import io.chargeonce.load.universe.kernel.Strands;
import io.chargeonce.psp.http.AnswerTooLong;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A PSP as the services' own gateways reach it: its ledger, which keys it remembers for a while and with which answer, and the faults
 * of each exchange. It outlives every process and every fault. Only the strand that has the turn may call it.
 */
abstract class SimulatedPsp {

    /** How often each thing happens to an exchange, of one. The rest goes well. */
    record Faults(double notSent, double rateLimited, double lostBefore, double lostAfter, double late, double failsBefore,
            double failsAfter, double truncated, double tooLong) {

        static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** What it answers to everything for a while. */
    enum Mood { WELL, SAYS_503, SAYS_429, REFUSES_STATUS_QUERIES, REFUSES_CREDENTIALS }

    /**
     * @param key        empty for a request without an idempotency key
     * @param credential the key of our account
     */
    record Request(String method, String path, Optional<String> key, String body, String credential) {

        boolean isStatusQuery() {
            return method.equals("GET") || key.isEmpty();
        }
    }

    record Reply(int status, Map<String, String> headers, String body) {

        static Reply of(int status, Object body) {
            return new Reply(status, Map.of(), JSON.writeValueAsString(body));
        }
    }

    private record Frozen(Reply reply, long until) {}

    /** The first request for a charge. */
    record Sent(Host by, long at) {}

    /** Until the client gives up who waits for an answer that never comes: shorter than a lease. */
    static final Duration LONGEST_HANG = Duration.ofMillis(3_500);
    /**
     * Twice a lease, as Stripe's minute is twice a real one: a status query that comes right after a lease may not find what was charged.
     */
    static final Duration LONGEST_LAG = Duration.ofSeconds(8);
    private static final Duration LATEST = Duration.ofSeconds(2);
    private static final int LONGEST_ANSWER = 1 << 20;
    private static final Duration SLOWEST = Duration.ofMillis(40);
    static final JsonMapper JSON = new JsonMapper();
    private static final Pattern CHARGE = Pattern.compile(".*/(payment_intents|payments)");

    final String name;
    /** What it promises. */
    final Duration keyLife;
    private final Duration keyMemory;
    private final Map<String, Frozen> answers = new HashMap<>();
    private final Map<String, Long> visibleAt = new HashMap<>();
    private final List<JsonNode> movements = new ArrayList<>();
    private final List<JsonNode> declines = new ArrayList<>();
    private Faults faults = Faults.NONE;
    private Mood mood = Mood.WELL;
    private boolean down;
    /** The payments whose calls it never answers. */
    private Optional<Predicate<String>> hung = Optional.empty();
    /** The keys of all charges, and when and by which process each was first asked for. */
    private final Map<String, Sent> sent = new LinkedHashMap<>();
    private Consumer<String> watch = key -> {};
    private boolean quotes;
    private int keys = 1;
    private long oldKeyUntil = SimulatedThread.NEVER;
    private long showsNothingAfter = SimulatedThread.NEVER;
    private long showsNothingUntil;

    /** @param longer than it promises it keeps keys */
    SimulatedPsp(String name, Duration keyLife, Duration longer) {
        this.name = name;
        this.keyLife = keyLife;
        this.keyMemory = keyLife.plus(longer);
    }

    /** Does what is asked for. */
    abstract Reply execute(Request request);

    /** The payment that it is about, if it says so. */
    abstract Optional<String> paymentOf(Request request);

    abstract Reply error(int status, String message);

    /** Of a failure under a key that was used before. */
    abstract Map<String, String> repeated();

    /**
     * A refund that was paid fails after all, and that is told.
     *
     * @return false if none under this key was paid
     */
    abstract boolean failRefund(String key);

    /**
     * A customer disputes what was captured under this key.
     *
     * @return empty if nothing was captured under it
     */
    abstract Optional<ModelDisputes.Disputed> dispute(String key);

    /** The same of a payment that another system made at our account; empty if this PSP's message would not name an attempt. */
    Optional<ModelDisputes.Disputed> disputeOfAStranger() {
        return Optional.empty();
    }

    /** A dispute goes on, and that is told. */
    abstract void disputeBecomes(String reference, ModelDisputes.Step step);

    /** Told of the key of each request that may move money, right when it leaves us. */
    void watch(Consumer<String> sending) {
        watch = sending;
    }

    void faults(Faults chosen) {
        faults = chosen;
    }

    void mood(Mood now) {
        mood = now;
    }

    void down(boolean isDown) {
        down = isDown;
    }

    /** It quotes the card's number wherever it says something about the card. */
    void quote() {
        quotes = true;
    }

    String quoted() {
        return quotes ? " " + CardTraffic.NUMBER : "";
    }

    /** Takes such calls from now on, and may do what they ask for, and never answers. */
    void hang(Predicate<String> payments) {
        hung = Optional.of(payments);
    }

    void answerAll() {
        hung = Optional.empty();
    }

    /** The account has another key from now on; the one before is good for so long. Returns the new one's number. */
    int changeKey(Duration overlap) {
        oldKeyUntil = Kernel.it().after(overlap);
        return ++keys;
    }

    /** Charges that were first asked for since then. */
    List<Sent> sentSince(long time) {
        return sent.values().stream().filter(one -> one.at >= time).toList();
    }

    private boolean knows(String credential) {
        return credential.equals(SecretFiles.pspKeyText(name, keys))
                || credential.equals(SecretFiles.pspKeyText(name, keys - 1)) && Kernel.it().now() < oldKeyUntil;
    }

    /** One exchange. What leaves us arrives at once; its answer may not. */
    Reply exchange(Request request, Duration patience) throws IOException {
        Kernel kernel = Kernel.it();
        request.key().filter(key -> request.method().equals("POST") && !request.path().equals(StripeModel.CREATE))
                .ifPresent(key -> watch.accept(key.replaceFirst("-confirm$", "")));
        kernel.mayDie("before the PSP is called");
        if (request.method().equals("POST") && CHARGE.matcher(request.path()).matches()) {
            request.key().ifPresent(key -> sent.putIfAbsent(key, new Sent(kernel.host(), kernel.now())));
        }
        double lot = kernel.random().nextDouble();
        Duration time = kernel.between(Duration.ofMillis(1), SLOWEST);
        if (down || (lot -= faults.notSent()) < 0) {
            kernel.sleep(time);
            throw new ConnectException("nothing listens");
        }
        if (!knows(request.credential())) {
            kernel.sleep(time);
            return error(401, "this key is not known any more");
        }
        if (hung.isPresent() && paymentOf(request).filter(hung.get()).isPresent()) {
            if (kernel.chance(0.5)) {
                serve(request);
            }
            return noAnswer(LONGEST_HANG);
        }
        Optional<Reply> moody = moody(request, (lot -= faults.rateLimited()) < 0);
        if (moody.isPresent()) {
            kernel.sleep(time);
            return moody.get();
        }
        if ((lot -= faults.lostBefore()) < 0) {
            return noAnswer(patience);
        }
        if ((lot -= faults.late()) < 0) {
            Strands.later(kernel.world(), () -> serve(request), kernel.after(kernel.between(patience, LATEST)));
            kernel.mishap("the PSP executed a request late");
            return noAnswer(patience);
        }
        if ((lot -= faults.failsBefore()) < 0) {
            Reply failed = frozen(request, error(500, "it broke"));
            kernel.sleep(time);
            return failed;
        }
        boolean lost = (lot -= faults.lostAfter()) < 0;
        boolean fails = !lost && (lot -= faults.failsAfter()) < 0;
        boolean cut = !lost && !fails && (lot -= faults.truncated()) < 0;
        boolean tooLong = !lost && !fails && !cut && (lot -= faults.tooLong()) < 0;
        Reply reply = serve(request);
        if (lost) {
            return noAnswer(patience);
        }
        kernel.sleep(time);
        kernel.mayDie("after the PSP answered");
        if (fails) {
            return request.key().map(
                    key -> answers.compute(key, (same, kept) -> new Frozen(error(500, "it broke"), kept == null ? 0 : kept.until)).reply)
                    .orElseGet(() -> error(500, "it broke"));
        }
        if (tooLong) {
            throw new AnswerTooLong(LONGEST_ANSWER);
        }
        return cut ? new Reply(reply.status, reply.headers, reply.body.substring(0, reply.body.length() / 2)) : reply;
    }

    private Optional<Reply> moody(Request request, boolean limited) {
        return switch (limited ? Mood.SAYS_429 : mood) {
            case WELL -> Optional.empty();
            case SAYS_503 -> Optional.of(error(503, "it is being maintained"));
            case SAYS_429 -> {
                Reply tooMany = error(429, "too many");
                yield Optional.of(new Reply(429, Map.of("Retry-After", "1"), tooMany.body));
            }
            case REFUSES_STATUS_QUERIES ->
                request.isStatusQuery() ? Optional.of(error(404, "no such thing in this account")) : Optional.empty();
            case REFUSES_CREDENTIALS -> Optional.of(error(401, "this key is not known"));
        };
    }

    private static Reply noAnswer(Duration patience) throws IOException {
        Kernel.it().sleep(patience);
        throw new HttpTimeoutException("no whole answer within " + patience);
    }

    /** The same key gets the same answer while it is remembered; afterwards it is a request like any other. */
    private Reply serve(Request request) {
        Optional<Frozen> kept = request.key().map(answers::get).filter(frozen -> frozen.until > Kernel.it().now());
        return kept.isPresent() ? new Reply(kept.get().reply.status, repeated(), kept.get().reply.body) : frozen(request, execute(request));
    }

    /** The first answer to a key stays its answer. */
    private Reply frozen(Request request, Reply reply) {
        Kernel kernel = Kernel.it();
        if (request.key().isEmpty()) {
            return reply;
        }
        Frozen kept = answers.get(request.key().get());
        if (kept != null && kept.until > kernel.now()) {
            return new Reply(kept.reply.status, repeated(), kept.reply.body);
        }
        answers.put(request.key().get(), new Frozen(reply, kernel.after(keyMemory)));
        return reply;
    }

    /** From when on it is found by what it is called. */
    void hide(String what) {
        visibleAt.putIfAbsent(what, Kernel.it().after(Kernel.it().between(Duration.ZERO, LONGEST_LAG)));
    }

    boolean shows(String what) {
        long now = Kernel.it().now();
        return visibleAt.getOrDefault(what, 0L) <= (now < showsNothingUntil ? showsNothingAfter : now);
    }

    /** What would be found from now on is not found for so long. What was found already still is. */
    void stopShowing(Duration time) {
        Kernel kernel = Kernel.it();
        showsNothingAfter = kernel.now() < showsNothingUntil ? showsNothingAfter : kernel.now();
        showsNothingUntil = Math.max(showsNothingUntil, kernel.after(time));
    }

    void declined(String key) {
        declines.add(JSON.valueToTree(Map.of("status", 402, "fate", "executed", "idempotency_key", key)));
    }

    /** @param metadata what came with the request, as far as this kind of PSP keeps any */
    void move(String kind, String key, String reference, long amount, String currency, Map<String, String> metadata) {
        Kernel kernel = Kernel.it();
        kernel.note(name + " " + kind + " " + key);
        var movement = new LinkedHashMap<String, Object>();
        movement.put("kind", kind);
        movement.put("id", reference);
        movement.put("idempotency_key", key);
        movement.put("amount", amount);
        movement.put("currency", currency);
        movement.put("metadata", metadata);
        movement.put("at", kernel.truth().toString());
        movements.add(JSON.valueToTree(movement));
    }

    List<JsonNode> movements() {
        return movements;
    }

    /** The requests that it declined, as a ledger tells them. */
    List<JsonNode> declines() {
        return declines;
    }
}
