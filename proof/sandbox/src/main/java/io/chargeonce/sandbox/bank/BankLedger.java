// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the bank has taken and executed: files, the ids of messages, and the movements of money, in a file of lines. Any thread. */
final class BankLedger implements AutoCloseable {

    /**
     * A file that came, also one that was not read.
     *
     * @param fate  executed, or refused because the message id was known or the bank was told to reject files
     * @param items  the EndToEndId of each item
     * @param sha256 of its bytes
     */
    record Taken(Instant at, String method, String path, String messageId, LoggedRequest.Handling fate, List<String> items,
            String sha256) {}

    /** At least one of them is there. */
    private record Line(Optional<String> message, Optional<Movement> movement, Optional<Taken> taken) {}

    private final OutputStream file;
    private final SandboxJson.Lines<Line> json = SandboxJson.Lines.of(Line.class);
    private final Set<String> messages = new HashSet<>();
    private final List<Movement> movements = new ArrayList<>();
    private final List<Taken> taken = new ArrayList<>();

    private BankLedger(OutputStream file) {
        this.file = file;
    }

    static BankLedger open(Path path) throws IOException {
        List<String> lines = Files.exists(path) ? Files.readAllLines(path) : List.of();
        var ledger = new BankLedger(Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        lines.stream().filter(line -> line.endsWith("}")).map(ledger.json::read).forEach(ledger::apply);
        return ledger;
    }

    /** Returns whether no message had its id before; from now on one has. */
    synchronized boolean take(ReadFile file, String path, String sha256, boolean rejects) {
        boolean fresh = !messages.contains(file.messageId());
        var fate = fresh && !rejects ? LoggedRequest.Handling.EXECUTED : LoggedRequest.Handling.REFUSED;
        append(new Line(Optional.of(file.messageId()), Optional.empty(),
                Optional.of(new Taken(Instant.now(), "PUT", path, file.messageId(), fate,
                        file.items().stream().map(ReadFile.Item::endToEndId).toList(), sha256))));
        return fresh;
    }

    synchronized void move(Movement.Kind kind, ReadFile.Item item, String reference) {
        long minor = item.amount().movePointRight(2).longValueExact();
        append(new Line(Optional.empty(),
                Optional.of(new Movement(kind, reference, item.endToEndId(), Optional.of(item.endToEndId()), minor,
                        Movement.currency(item.currency()), Map.of("payment_id", item.instruction()), Instant.now(), Optional.empty(),
                        item.amount().toPlainString())),
                Optional.empty()));
    }

    private void append(Line line) {
        try {
            file.write(json.writer().writeValueAsBytes(line));
            file.write('\n');
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        apply(line);
    }

    private void apply(Line line) {
        line.message().ifPresent(messages::add);
        line.movement().ifPresent(movements::add);
        line.taken().ifPresent(taken::add);
    }

    synchronized List<Movement> movements() {
        return List.copyOf(movements);
    }

    /** Every file that came, oldest first. */
    synchronized List<Taken> taken() {
        return List.copyOf(taken);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
