package io.chargeonce.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A text that never shows when printed. One that is in a file is read again every few seconds, so that a new one is used without
 * a restart. If the file cannot be read, the last text stays in use and the log says so. Any thread.
 */
public final class Secret implements Supplier<String> {

    private static final Logger LOG = LoggerFactory.getLogger(Secret.class);
    private static final Duration READ_EVERY = Duration.ofSeconds(5);

    private record Read(String text, long nanos, boolean succeeded) {}

    private final Optional<Path> file;
    private final Duration every;
    private volatile Read latest;

    private Secret(Optional<Path> file, Duration every, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the secret is empty");
        }
        this.file = file;
        this.every = every;
        this.latest = new Read(text, System.nanoTime(), true);
    }

    public Secret(String value) {
        this(Optional.empty(), READ_EVERY, value);
    }

    /** The trimmed content of a file, which is replaced as a whole: by a rename, or by Kubernetes. */
    static Secret in(Path file) throws IOException {
        return in(file, READ_EVERY);
    }

    static Secret in(Path file, Duration every) throws IOException {
        return new Secret(Optional.of(file), every, Files.readString(file).strip());
    }

    /** The text as it is now. */
    public String value() {
        Read last = latest;
        if (file.isPresent() && System.nanoTime() - last.nanos >= every.toNanos()) {
            last = again(file.get(), last);
            latest = last;
        }
        return last.text;
    }

    @Override
    public String get() {
        return value();
    }

    Optional<Path> file() {
        return file;
    }

    private static Read again(Path file, Read last) {
        String text = "";
        String why = "it is empty";
        try {
            text = Files.readString(file).strip();
        } catch (IOException e) {
            why = e.toString();
        }
        if (text.isEmpty()) {
            if (last.succeeded) {
                LOG.warn("The secret in {} cannot be read any more ({}). The last one stays in use; put a readable file there", file, why);
            }
            return new Read(last.text, System.nanoTime(), false);
        }
        if (!text.equals(last.text)) {
            LOG.info("The secret in {} has changed; the new one is used from now on", file);
        }
        return new Read(text, System.nanoTime(), true);
    }

    @Override
    public String toString() {
        return "***";
    }
}
