// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.sandbox.bank.BankAnswers;
import io.chargeonce.sandbox.bank.ReadFile;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A bank that takes files and answers in files. It executes each message once, and what it does with an item follows from its mandate, as
 * in the sandbox. Only the strand that has the turn may call it.
 */
public final class BankModel {

    public static final String NAME = "bank";
    public static final String NO_FUNDS = "mandate_no-funds-";
    public static final String CLOSED = "mandate_closed-";
    public static final String RETURNED = "mandate_returned-";
    public static final String GOOD = "mandate_good-";
    /** No key of ours opens it, so the bank never hears of it. */
    public static final String UNREADABLE = "mandate_unreadable-";

    /** What is wrong there for a while. */
    public enum Trouble {
        /** No log-in. */
        UNREACHABLE,
        /** Steps take long, or are cut off. */
        SILENT,
        /** No file can be created. */
        PERMISSION_DENIED,
        /** A file cannot grow. */
        DISK_FULL,
        /** It executes, and says so later. */
        LATE,
        /** It says everything again under another name. */
        TWICE,
        /** Bookings come in a statement too. */
        STATEMENT,
        /** Files that nobody can read lie between its answers. */
        GARBAGE,
        /** It rejects whole files. */
        REJECTS_FILES
    }

    private static final Duration SOONEST = Duration.ofMillis(20);
    private static final Duration LATEST = Duration.ofSeconds(2);
    /** How long a file of the bank's can be seen while it grows: less than the time between two looks of one process. */
    private static final Duration GROWS = Duration.ofMillis(250);
    private static final double GROWING = 0.3;
    /** How often a debit comes back in the file that books it. */
    private static final double AT_ONCE = 0.3;
    /** Of a return. */
    private static final BigDecimal FEE = new BigDecimal("3.50");
    private static final JsonMapper JSON = new JsonMapper();

    private static BankModel current;

    /** A file of the bank's. Half of it is there before this time. */
    record Laid(byte[] bytes, long wholeAt) {

        byte[] now() {
            return Kernel.it().now() < wholeAt ? Arrays.copyOf(bytes, bytes.length / 2) : bytes;
        }
    }

    /** Goes back once its booking was fetched. */
    private record Return(String booked, ReadFile.Item item) {}

    /** Our files there, by name. */
    final Map<String, byte[]> incoming = new TreeMap<>();
    final Map<String, Laid> outgoing = new TreeMap<>();
    private final Set<String> messages = new HashSet<>();
    private final Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    private final List<Runnable> held = new ArrayList<>();
    private final List<Return> returns = new ArrayList<>();
    private final List<JsonNode> movements = new ArrayList<>();
    private final List<JsonNode> taken = new ArrayList<>();
    private boolean unkind;
    private int busy;
    private int last;

    public void enter() {
        current = this;
    }

    static BankModel it() {
        return current;
    }

    public static BankSession session() throws IOException {
        return BankVisit.begin(current);
    }

    /** Whether single steps fail. */
    public void unkind(boolean isUnkind) {
        unkind = isUnkind;
    }

    boolean isUnkind() {
        return unkind;
    }

    boolean has(Trouble trouble) {
        return troubles.contains(trouble);
    }

    public void begin(Trouble trouble) {
        troubles.add(trouble);
    }

    public void end(Trouble trouble) {
        troubles.remove(trouble);
        if (trouble == Trouble.LATE) {
            List<Runnable> answers = List.copyOf(held);
            held.clear();
            answers.forEach(Runnable::run);
        }
    }

    public void allWell() {
        unkind = false;
        List.copyOf(troubles).forEach(this::end);
    }

    /** A file has its name: the bank reads it soon. */
    void arrived(String name) {
        later(() -> {
            byte[] file = incoming.remove(name);
            if (file != null) {
                take(name, ReadFile.of(new String(file, StandardCharsets.UTF_8)), ReadFile.sha256(file));
            }
        });
    }

    private void later(Runnable work) {
        Kernel kernel = Kernel.it();
        busy++;
        kernel.spawn(kernel.world(), "bank", () -> {
            kernel.sleep(kernel.between(SOONEST, LATEST));
            work.run();
            busy--;
        });
    }

    private void take(String name, ReadFile read, String sha256) {
        Kernel.it().note("the bank has " + read.messageId());
        taken.add(JSON.valueToTree(Map.of("at", Kernel.it().truth().toString(), "path", "/" + name, "message_id", read.messageId(), "items",
                read.items().stream().map(ReadFile.Item::endToEndId).toList(), "sha256", sha256)));
        boolean fresh = messages.add(read.messageId());
        if (!fresh || has(Trouble.REJECTS_FILES)) {
            String rejection = status(read, "RJCT", fresh ? "FF01" : "AM05", List.of());
            answer(() -> lay("pain.002", rejection));
        } else {
            execute(read);
        }
    }

    private void execute(ReadFile read) {
        var bookings = new ArrayList<BankAnswers.Booking>();
        List<ReadFile.Item> rejected = read.items().stream().filter(item -> !reason(item).isEmpty()).toList();
        for (ReadFile.Item item : read.items()) {
            if (!rejected.contains(item)) {
                String reference = "BK" + ++last;
                move(read.debit() ? "capture" : "refund", item, reference);
                bookings.add(new BankAnswers.Booking(item, read.debit(), reference, "", BigDecimal.ZERO));
            }
        }
        String status = status(read, rejected.isEmpty() ? "ACCP" : "PART", "", rejected);
        answer(() -> {
            lay("pain.002", status);
            if (!bookings.isEmpty()) {
                later(() -> book(bookings));
            }
            if (has(Trouble.TWICE)) {
                lay("pain.002", status);
            }
            if (has(Trouble.GARBAGE)) {
                lay("pain.002", "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.002.001.10\"><Cst");
            }
        });
    }

    private void book(List<BankAnswers.Booking> bookings) {
        for (BankAnswers.Booking booking : List.copyOf(bookings)) {
            if (booking.item().mandate().startsWith(RETURNED) && Kernel.it().chance(AT_ONCE)) {
                bookings.add(takenBack(booking.item()));
            }
        }
        String text = BankAnswers.bookings(Kernel.it().truth(), id(), false, bookings);
        String told = lay("camt.054", text);
        Set<ReadFile.Item> back = bookings.stream().filter(booking -> !booking.returned().isEmpty()).map(BankAnswers.Booking::item)
                .collect(Collectors.toSet());
        bookings.stream().map(BankAnswers.Booking::item).filter(item -> item.mandate().startsWith(RETURNED) && !back.contains(item))
                .forEach(item -> returns.add(new Return(told, item)));
        if (has(Trouble.TWICE)) {
            lay("camt.054", text);
        }
        if (has(Trouble.STATEMENT)) {
            lay("camt.053", BankAnswers.bookings(Kernel.it().truth(), id(), true, bookings.stream().map(this::asInAStatement).toList()));
        }
    }

    /** A statement may have the reference of the notification, none, or another one. */
    private BankAnswers.Booking asInAStatement(BankAnswers.Booking one) {
        String reference = Kernel.it().chance(0.4) ? one.reference() : Kernel.it().chance(0.5) ? "" : "ST" + ++last;
        return new BankAnswers.Booking(one.item(), one.credit(), reference, one.returned(), one.fee());
    }

    /** A customer has removed one of the bank's files. */
    void fetched(String name) {
        List<Return> due = returns.stream().filter(back -> back.booked.equals(name)).toList();
        returns.removeAll(due);
        due.forEach(back -> later(() -> lay("camt.054",
                BankAnswers.bookings(Kernel.it().truth(), id(), false, List.of(takenBack(back.item))))));
    }

    private BankAnswers.Booking takenBack(ReadFile.Item item) {
        String reference = "RET" + ++last;
        move("return", item, reference);
        return new BankAnswers.Booking(item, false, reference, "MD06", Kernel.it().chance(0.5) ? FEE : BigDecimal.ZERO);
    }

    private String status(ReadFile read, String group, String reason, List<ReadFile.Item> rejected) {
        return BankAnswers.status(Kernel.it().truth(), id(), read.messageId(), group, reason, rejected,
                rejected.stream().map(BankModel::reason).toList());
    }

    private static String reason(ReadFile.Item item) {
        return item.mandate().startsWith(NO_FUNDS) ? "AM04" : item.mandate().startsWith(CLOSED) ? "AC04" : "";
    }

    private void answer(Runnable answers) {
        if (has(Trouble.LATE)) {
            held.add(answers);
        } else {
            later(answers);
        }
    }

    private String lay(String kind, String text) {
        Kernel kernel = Kernel.it();
        String name = kind + "-" + id() + ".xml";
        long whole = unkind && kernel.chance(GROWING) ? kernel.after(kernel.between(Duration.ZERO, GROWS)) : 0;
        outgoing.put(name, new Laid(text.getBytes(StandardCharsets.UTF_8), whole));
        return name;
    }

    private String id() {
        return "%06d".formatted(++last);
    }

    private void move(String kind, ReadFile.Item item, String reference) {
        Kernel.it().note("the bank: " + kind + " " + item.endToEndId());
        var movement = new LinkedHashMap<String, Object>();
        movement.put("kind", kind);
        movement.put("id", reference);
        movement.put("idempotency_key", item.endToEndId());
        movement.put("reference", item.endToEndId());
        movement.put("amount", item.amount().movePointRight(2).longValueExact());
        movement.put("currency", item.currency());
        movement.put("metadata", Map.of("payment_id", item.instruction()));
        movement.put("at", Kernel.it().truth().toString());
        movement.put("value", item.amount().setScale(2).toPlainString());
        movements.add(JSON.valueToTree(movement));
    }

    /** Nothing is under way there, and nothing lies there. */
    public boolean isIdle() {
        return busy == 0 && incoming.isEmpty() && outgoing.isEmpty() && held.isEmpty() && returns.isEmpty();
    }

    public List<JsonNode> movements() {
        return movements;
    }

    /** The files that came. */
    public List<JsonNode> taken() {
        return taken;
    }
}
