// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A text that is masked when printed. A secret in a file is read again every few seconds, so that a new one is used without a restart. If
 * the file cannot be read, or its content is not allowed, the last text stays in use and the log says so. Any thread.
 */
public final class Secret implements Supplier<String> {

    private static final Logger LOG = LoggerFactory.getLogger(Secret.class);
    private static final Duration READ_EVERY = Duration.ofSeconds(5);

    /** The allowed form of the text. */
    enum Form {
        /** Any text that is not empty: a password, or several keys. */
        TEXT,
        /** Text that fits an HTTP header. The HTTP client would quote any other text in its exception. */
        TOKEN;

        /** What is wrong with the text, without quoting it; empty if nothing is. */
        private Optional<String> problem(String text) {
            if (text.isEmpty()) {
                return Optional.of("it is empty");
            }
            return this == TEXT || text.chars().allMatch(c -> c > ' ' && c < 0x7f) ? Optional.empty()
                    : Optional.of("it is not one line of visible ASCII characters");
        }
    }

    record Read(String text, long nanos, boolean succeeded) {}

    private final Optional<Path> file;
    private final Duration every;
    private final Form form;
    private volatile Read latest;

    private Secret(Optional<Path> file, Duration every, Form form, String text) {
        form.problem(text).ifPresent(problem -> {
            throw new IllegalArgumentException("the secret cannot be used: " + problem);
        });
        this.file = file;
        this.every = every;
        this.form = form;
        this.latest = new Read(text, System.nanoTime(), true);
    }

    public Secret(String value) {
        this(Optional.empty(), READ_EVERY, Form.TEXT, value);
    }

    /** The trimmed content of a file that is replaced as a whole: by a rename, or by Kubernetes. */
    static Secret in(Path file, Form form) throws IOException {
        return in(file, form, READ_EVERY);
    }

    static Secret in(Path file, Form form, Duration every) throws IOException {
        return new Secret(Optional.of(file), every, form, TextFile.read(file).strip());
    }

    /** The current text. */
    public String value() {
        Read last = latest;
        if (file.isPresent() && System.nanoTime() - last.nanos >= every.toNanos()) {
            last = again(file.get(), last);
            latest = last;
        }
        return last.text;
    }

    /** The text that the file has at this moment. For what needs it seldom, and is refused with an older one. */
    public String now() {
        file.ifPresent(there -> latest = again(there, latest));
        return latest.text;
    }

    @Override
    public String get() {
        return value();
    }

    Optional<Path> file() {
        return file;
    }

    Read again(Path file, Read last) {
        String text = "";
        Optional<String> problem;
        try {
            text = TextFile.read(file).strip();
            problem = form.problem(text);
        } catch (IOException e) {
            problem = Optional.of(e.toString());
        }
        if (problem.isPresent()) {
            if (last.succeeded) {
                LOG.warn("The secret in {} can no longer be used ({}). The previous one stays in use; put a readable file there", file,
                        problem.get());
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
