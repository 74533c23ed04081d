// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RefundCall;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A client's history as it grows, one call a line, each on its way to disk before the next. Any thread. */
public final class HistoryFile implements AutoCloseable {

    private final Path file;
    private final BufferedWriter writer;

    private HistoryFile(Path file, BufferedWriter writer) {
        this.file = file;
        this.writer = writer;
    }

    /** Overwrites what was there. */
    public static HistoryFile create(Path file) {
        try {
            return new HistoryFile(file, Files.newBufferedWriter(file));
        } catch (IOException e) {
            throw new UncheckedIOException("the history %s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    public void add(ClientCall call) {
        add(call.toLine());
    }

    public void add(RefundCall call) {
        add(call.toLine());
    }

    private synchronized void add(String line) {
        try {
            writer.write(line);
            writer.newLine();
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the history %s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    public Path file() {
        return file;
    }

    @Override
    public synchronized void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
