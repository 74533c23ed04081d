// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.Movement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bank on this machine: an SFTP server that takes files, a reader that executes each message once, and answers in files. What it does
 * with an item follows from its mandate's id: {@code mandate_no-funds…} is rejected with AM04, {@code mandate_closed…} with AC04, {@code
 * mandate_returned…} is booked, and returned with MD06 once that booking has been fetched; the rest is booked. In a kept directory it knows
 * after a restart which messages it has executed. Any thread.
 */
public final class SandboxBank implements AutoCloseable {

    /** The directory that takes the customers' files. */
    public static final String FROM_CUSTOMERS = "incoming";
    /** The directory with the bank's own. */
    public static final String TO_CUSTOMERS = "outgoing";

    /** What it has taken. */
    private static final String ARCHIVE = "archive";
    private static final Logger LOG = LoggerFactory.getLogger(SandboxBank.class);
    /** What it takes for a return. */
    private static final BigDecimal FEE = new BigDecimal("3.50");
    private static final long LOOK_EVERY_MILLIS = 100;

    private final Path directory;
    private final Path root;
    private final SftpServer sftp;
    private final BankLedger ledger;
    private final HttpListener http;
    private final ScheduledExecutorService clerk =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("sandbox-bank").factory());
    private final List<ReadFile> executed = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();
    private final List<Return> returns = new ArrayList<>();

    /** The bank takes an item back when its customer has fetched this file, which says that it was booked. */
    private record Return(Path booked, String endToEndId) {}

    private SandboxBank(Path directory, Path root, SftpServer sftp, BankLedger ledger, int adminPort) {
        this.directory = directory;
        this.root = root;
        this.sftp = sftp;
        this.ledger = ledger;
        this.http = HttpListener.start("The bank", adminPort, this::answer);
    }

    /**
     * Each port may be 0, for any free one.
     *
     * @param directory where it keeps its files, its key and what it has executed
     * @param keys      public keys of the user {@code chargeonce}, who may also come with the password {@code sandbox}
     */
    public static SandboxBank start(Path directory, int sftpPort, int adminPort, List<String> keys) {
        try {
            Path root = Files.createDirectories(directory.resolve("files"));
            Files.createDirectories(root.resolve(FROM_CUSTOMERS));
            Files.createDirectories(root.resolve(TO_CUSTOMERS));
            Files.createDirectories(root.resolve(ARCHIVE));
            var sftp = SftpServer.start(sftpPort, root, directory.resolve("host-key"), keys);
            var bank = new SandboxBank(directory, root, sftp, BankLedger.open(directory.resolve("ledger.jsonl")), adminPort);
            Files.writeString(bank.knownHosts(), sftp.knownHost() + "\n");
            Files.writeString(bank.passwordFile(), SftpServer.PASSWORD);
            bank.clerk.scheduleWithFixedDelay(bank::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            return bank;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return sftp.port();
    }

    /** Where its ledger is served: {@code GET /_sandbox/movements}, and the files that came: {@code GET /_sandbox/requests}. */
    public int adminPort() {
        return http.port();
    }

    /** The same as an address, as the PSPs' simulators have one. */
    public URI ledger() {
        return URI.create("http://127.0.0.1:" + http.port());
    }

    public String user() {
        return SftpServer.USER;
    }

    public Path passwordFile() {
        return directory.resolve("password");
    }

    /** For OpenSSH's {@code -o UserKnownHostsFile}, and for ours. */
    public Path knownHosts() {
        return directory.resolve("known_hosts");
    }

    /** What a customer's files, and the bank's own, are in. */
    public Path files() {
        return root;
    }

    /** From now on. */
    public void tell(BankBehaviour behaviour) {
        sftp.tell(behaviour, true);
    }

    public void tellNoMore(BankBehaviour behaviour) {
        sftp.tell(behaviour, false);
    }

    /** The messages that it has executed since its start, in order. */
    public synchronized List<ReadFile> executed() {
        return List.copyOf(executed);
    }

    /** Every movement of money, oldest first. */
    public List<Movement> movements() {
        return ledger.movements();
    }

    /** Sends the answers that it was told to hold back. */
    public synchronized void release() {
        held.forEach(Runnable::run);
        held.clear();
    }

    /** Takes the money of a booked item back, weeks later as it were, and says so. */
    public synchronized void takeBack(String endToEndId, String reason) {
        Movement booked =
                ledger.movements().stream().filter(moved -> moved.reference().equals(Optional.of(endToEndId))).findFirst().orElseThrow();
        var item = new ReadFile.Item(booked.metadata().get("payment_id"), endToEndId, new java.math.BigDecimal(booked.value()),
                booked.currency().toUpperCase(java.util.Locale.ROOT), "", "");
        String reference = "RET" + id();
        ledger.move(Movement.Kind.RETURN, item, reference);
        put("camt.054", BankAnswers.bookings(Instant.now(), id(), false,
                List.of(new BankAnswers.Booking(item, false, reference, reason, FEE))));
    }

    /** Puts any file where the bank puts its own. Returns where it is until the customer has fetched it. */
    public Path put(String name, String text) {
        try {
            Path temporary = Files.writeString(root.resolve(TO_CUSTOMERS).resolve("." + id()), text);
            return Files.move(temporary, root.resolve(TO_CUSTOMERS).resolve(name + "-" + id() + ".xml"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void look() {
        try (var found = Files.newDirectoryStream(root.resolve(FROM_CUSTOMERS), "*.xml")) {
            for (Path file : found) {
                take(file);
            }
            takeBackWhatIsDue();
        } catch (IOException | RuntimeException e) {
            LOG.error("The sandbox's bank cannot take a file", e);
        }
    }

    private synchronized void takeBackWhatIsDue() {
        List<Return> due = returns.stream().filter(back -> Files.notExists(back.booked)).toList();
        returns.removeAll(due);
        due.forEach(back -> takeBack(back.endToEndId, "MD06"));
    }

    private synchronized void take(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        ReadFile read = ReadFile.of(new String(bytes, StandardCharsets.UTF_8));
        Files.move(file, root.resolve(ARCHIVE).resolve(id() + "-" + file.getFileName()));
        if (!ledger.take(read, "/" + FROM_CUSTOMERS + "/" + file.getFileName(), ReadFile.sha256(bytes),
                sftp.isTold(BankBehaviour.REJECT_FILE))) {
            answer(read,
                    () -> put("pain.002", BankAnswers.status(Instant.now(), id(), read.messageId(), "RJCT", "AM05", List.of(), List.of())));
        } else if (sftp.isTold(BankBehaviour.REJECT_FILE)) {
            answer(read,
                    () -> put("pain.002", BankAnswers.status(Instant.now(), id(), read.messageId(), "RJCT", "FF01", List.of(), List.of())));
        } else {
            execute(read);
        }
    }

    private void execute(ReadFile read) {
        executed.add(read);
        List<ReadFile.Item> rejected = read.items().stream().filter(item -> !reason(item).isEmpty()).toList();
        var bookings = new ArrayList<BankAnswers.Booking>();
        for (ReadFile.Item item : read.items()) {
            if (reason(item).isEmpty()) {
                String reference = "BK" + id();
                ledger.move(read.debit() ? Movement.Kind.CAPTURE : Movement.Kind.REFUND, item, reference);
                bookings.add(new BankAnswers.Booking(item, read.debit(), reference, "", BigDecimal.ZERO));
            }
        }
        String status = BankAnswers.status(Instant.now(), id(), read.messageId(), rejected.isEmpty() ? "ACCP" : "PART", "", rejected,
                rejected.stream().map(SandboxBank::reason).toList());
        String booked = BankAnswers.bookings(Instant.now(), id(), false, bookings);
        String statement = BankAnswers.bookings(Instant.now(), id(), true, bookings);
        answer(read, () -> {
            put("pain.002", status);
            if (!bookings.isEmpty()) {
                Path told = put("camt.054", booked);
                read.items().stream().filter(item -> item.mandate().startsWith("mandate_returned"))
                        .forEach(item -> returns.add(new Return(told, item.endToEndId())));
            }
            if (sftp.isTold(BankBehaviour.TWICE)) {
                put("pain.002", status);
                put("camt.054", booked);
            }
            if (sftp.isTold(BankBehaviour.STATEMENT)) {
                put("camt.053", statement);
            }
            if (sftp.isTold(BankBehaviour.GARBAGE)) {
                put("pain.002", "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.002.001.10\"><Cst");
                put("camt.054", "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>"
                        + "<Document xmlns="
                        + "\"urn:iso:std:iso:20022:tech:xsd:camt.054.001.08\">&e;</Document>");
            }
        });
    }

    private void answer(ReadFile read, Runnable answers) {
        if (sftp.isTold(BankBehaviour.LATE)) {
            held.add(answers);
        } else {
            answers.run();
        }
    }

    private static String reason(ReadFile.Item item) {
        return item.mandate().startsWith("mandate_no-funds") ? "AM04" : item.mandate().startsWith("mandate_closed") ? "AC04" : "";
    }

    private static final String PAGE = """
            GET /_sandbox/movements   money that the bank moved, one JSON object a line: ?after=0&limit=1000
            GET /_sandbox/requests    the files that came, in the same way

            A mandate decides what becomes of its debits. mandate_no-funds is rejected with AM04, mandate_closed with AC04,
            mandate_returned is booked and then returned. Every other one is booked.
            """;

    private HttpAnswer answer(HttpRequest request) {
        return switch (request.method() + " " + request.path()) {
            case "GET /_sandbox/movements" -> lines(page(ledger.movements(), request.query()));
            case "GET /_sandbox/requests" -> lines(page(ledger.taken(), request.query()));
            // A debit is returned: that is a movement.
            case "GET /_sandbox/disputes" -> lines(List.of());
            case "GET /_sandbox", "GET /_sandbox/" -> new HttpAnswer.Full(200, Map.of("Content-Type", "text/plain; charset=utf-8"),
                    PAGE.getBytes(StandardCharsets.UTF_8));
            default -> new HttpAnswer.Full(404, Map.of(), new byte[0]);
        };
    }

    private static <T> List<T> page(List<T> all, String query) {
        int after = 0;
        int limit = 1_000;
        for (String parameter : query.split("&")) {
            after = parameter.matches("after=\\d{1,9}") ? Integer.parseInt(parameter.substring(6)) : after;
            limit = parameter.matches("limit=\\d{1,9}") ? Integer.parseInt(parameter.substring(6)) : limit;
        }
        int from = Math.min(after, all.size());
        return all.subList(from, (int) Math.min((long) from + limit, all.size()));
    }

    private static HttpAnswer lines(List<?> values) {
        var lines = new java.io.ByteArrayOutputStream();
        values.forEach(value -> lines.writeBytes(SandboxJson.line(value)));
        return new HttpAnswer.Full(200, Map.of("Content-Type", "application/x-ndjson"), lines.toByteArray());
    }

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 24);
    }

    @Override
    public void close() {
        clerk.shutdownNow();
        http.close();
        sftp.close();
        ledger.close();
    }
}
