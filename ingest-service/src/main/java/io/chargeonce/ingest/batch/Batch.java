// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Answers a stream of lines with a stream of lines, in order, while it is still arriving. It holds a bounded number of lines: while the
 * client reads its answers slowly, no more requests are read. The thread that runs it writes; another reads and begins the answers; any
 * thread may end it early.
 */
final class Batch {

    /** How many lines are worked on at once: enough for a few commits' worth, little enough to hold in memory. */
    static final int AT_ONCE = 256;

    /** The writer's next step: write an answer, check whether the batch was ended, or end after the last line or a failure. */
    private sealed interface Next {
        record Line(CompletableFuture<byte[]> answer) implements Next {}

        record Look() implements Next {}

        record End(Optional<IOException> failure) implements Next {}
    }

    private final Function<Lines.Line, CompletableFuture<byte[]>> answer;
    private final Duration leftover;
    private final BlockingQueue<Next> window = new ArrayBlockingQueue<>(AT_ONCE);
    /** Lines whose answers began and are not yet written. */
    private long open;
    private boolean ended;

    /**
     * @param answer   begins one line's answer and returns at once
     * @param leftover how long the lines that come after an early end are read and thrown away
     */
    Batch(Function<Lines.Line, CompletableFuture<byte[]>> answer, Duration leftover) {
        this.answer = answer;
        this.leftover = leftover;
    }

    /** Begins no more lines. The answers end when all begun lines are answered. */
    void end() {
        synchronized (this) {
            ended = true;
        }
        // If the window is full, the writer checks after each answer anyway.
        window.offer(new Next.Look());
    }

    private synchronized boolean begins() {
        open += ended ? 0 : 1;
        return !ended;
    }

    private synchronized void written() {
        open--;
    }

    private synchronized boolean isOver() {
        return ended && open == 0;
    }

    /**
     * Closes the answers when they are complete.
     *
     * @throws IOException if reading or writing failed; lines that were read by then are accepted all the same
     */
    void run(InputStream in, OutputStream out) throws IOException {
        Thread reader = Thread.ofVirtual().name("batch-reader").start(() -> read(new Lines(in)));
        try {
            write(out);
            out.close();
            // If the connection is closed while the client still sends, the client may lose the last answers.
            reader.join(leftover);
        } catch (InterruptedException e) {
            throw new IOException("interrupted while a batch was answered", e);
        } finally {
            reader.interrupt();
        }
    }

    private void read(Lines lines) {
        try {
            for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
                if (begins()) {
                    window.put(new Next.Line(answer.apply(line.get())));
                }
            }
            window.put(new Next.End(Optional.empty()));
        } catch (InterruptedException writerGone) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            end(e instanceof IOException io ? io : new IOException(e));
        }
    }

    private void end(IOException failure) {
        try {
            // A slow read is ended by an interrupt. It must not keep the failure from the writer.
            Thread.interrupted();
            window.put(new Next.End(Optional.of(failure)));
        } catch (InterruptedException writerGone) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(OutputStream out) throws IOException, InterruptedException {
        while (!isOver()) {
            Next next = window.poll();
            if (next == null) {
                out.flush();
                next = window.take();
            }
            switch (next) {
                case Next.Line line -> {
                    if (!line.answer().isDone()) {
                        out.flush();
                    }
                    out.write(joined(line.answer()));
                    written();
                }
                case Next.Look ignored -> out.flush();
                case Next.End end -> {
                    out.flush();
                    if (end.failure().isPresent()) {
                        throw end.failure().get();
                    }
                    return;
                }
            }
        }
    }

    private static byte[] joined(CompletableFuture<byte[]> answer) throws IOException {
        try {
            return answer.join();
        } catch (CompletionException bug) {
            throw new IOException("a line of a batch could not be answered", bug);
        }
    }
}
