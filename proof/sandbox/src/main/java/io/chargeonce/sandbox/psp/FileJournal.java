// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * A file of JSON lines. A line is written before the answer that it stands for is sent, so it survives a
 * SIGKILL of this process. It is not synced, so it may not survive a loss of power. One process at a time may have it open.
 */
final class FileJournal<L> implements Journal<L> {
    private final Path file;
    private final SandboxJson.Lines<L> json;
    private final FileChannel channel;

    private FileJournal(Path file, SandboxJson.Lines<L> json, FileChannel channel) {
        this.file = file;
        this.json = json;
        this.channel = channel;
    }

    /** Opens the journal of that name in the directory and hands every line in it to the reader, oldest first. */
    static <L> FileJournal<L> open(Path directory, String name, SandboxJson.Lines<L> json, Consumer<L> reader) {
        Path file = directory.resolve(name + ".jsonl");
        try {
            Files.createDirectories(directory);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock(file, channel);
            channel.position(read(file, json, reader));
            channel.truncate(channel.position());
            return new FileJournal<>(file, json, channel);
        } catch (IOException e) {
            throw failed("open", file, e);
        }
    }

    private static void lock(Path file, FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return;
            }
        } catch (OverlappingFileLockException sameProcess) {
            // Falls through to the same refusal.
        }
        channel.close();
        throw new IllegalStateException("the journal " + file + " is in use by another simulator; stop it or choose another directory");
    }

    /** The length of all whole lines. A line that a kill cut off was never answered, so it is dropped. */
    private static <L> long read(Path file, SandboxJson.Lines<L> json, Consumer<L> reader) throws IOException {
        long whole = 0;
        long size = Files.size(file);
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                long end = whole + line.getBytes(StandardCharsets.UTF_8).length + 1;
                if (end > size) {
                    return whole;
                }
                reader.accept(json.read(line));
                whole = end;
            }
        }
        return whole;
    }

    @Override
    public byte[] encode(L line) {
        return json.write(line);
    }

    @Override
    public void append(byte[] encoded) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(encoded);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw failed("write", file, e);
        }
    }

    @Override
    public void erase() {
        try {
            channel.truncate(0);
        } catch (IOException e) {
            throw failed("erase", file, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failed("close", file, e);
        }
    }

    private static UncheckedIOException failed(String what, Path file, IOException cause) {
        return new UncheckedIOException("cannot " + what + " the journal " + file + ": " + cause.getMessage(), cause);
    }
}
