// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.sftp;

import io.chargeonce.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * One log-in at a bank's server. Each method is one step there; an {@link IOException} says nothing about whether a step that changes
 * something happened, and the next session looks. For one thread.
 */
public interface BankSession extends AutoCloseable {

    /**
     * A file in a directory of the bank's.
     *
     * @param modified when it was written, by the bank's clock; the epoch if the bank does not say
     */
    public record Found(String name, long size, Instant modified) {

        /** For people: a name is a word of the bank's. */
        public String shown() {
            return Printable.of(name);
        }
    }

    /** The size of one of our files there; empty if it is not there. */
    OptionalLong size(String name) throws IOException;

    /** Writes a file of ours, from its beginning; what was there under the name is gone. */
    OutputStream write(String name) throws IOException;

    /** A plain rename, which fails if there is a file of the new name. */
    void rename(String from, String to) throws IOException;

    /** Removes one of our own files. */
    void removeOurs(String name) throws IOException;

    /** The bank's files that are complete by their names. */
    List<Found> list() throws IOException;

    /** The bytes of one of the bank's files. */
    InputStream read(String name) throws IOException;

    /** Whether there is another file of the bank's under the name by now, or more of this one. */
    default boolean isAnother(Found file) throws IOException {
        return list().stream().anyMatch(there -> there.name().equals(file.name()) && !there.equals(file));
    }

    /** Removes a file of the bank's that is kept here. It may be gone already. */
    void removeTheirs(String name) throws IOException;

    /** Whether further steps can still work. */
    boolean isOpen();

    @Override
    void close();
}
