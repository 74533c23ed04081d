// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.reconcile.report.Entry;
import io.chargeonce.reconcile.report.Report;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;

/** Where a report's lines come from. */
public interface Source {

    /** Hands on every entry, in the report's order. */
    void each(Consumer<Entry> to);

    /** Identifies the report: the same bytes, the same digest. */
    byte[] sha256();

    /** Whether the PSP gives each line an id of its own. */
    boolean hasIds();

    /** A report in a file. */
    record OfFile(Path file, Report report) implements Source {

        @Override
        public void each(Consumer<Entry> to) {
            try (InputStream first = Files.newInputStream(file); InputStream in = Files.newInputStream(file)) {
                report.check(first);
                report.read(in, to);
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        @Override
        public byte[] sha256() {
            try (var in = new DigestInputStream(Files.newInputStream(file), digest())) {
                in.transferTo(OutputStream.nullOutputStream());
                return in.getMessageDigest().digest();
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        @Override
        public boolean hasIds() {
            return report.hasIds();
        }

        private UncheckedIOException unreadable(IOException e) {
            return new UncheckedIOException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
