// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.runtime.Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The mail server that takes the receipts.
 *
 * @param login   empty for a server that takes mail from this machine without one
 * @param ca      the certificates, as PEM, of those that may have signed the server's; empty for those that the JVM trusts
 * @param timeout of one message in all, with the connection that it may need
 */
public record MailServer(Address address, Tls tls, Optional<Login> login, Optional<Path> ca, Duration timeout) {

    /** When a connection is encrypted. */
    public enum Tls {
        /** After the server has offered it; without the offer nothing is sent. */
        STARTTLS,
        /** From the first byte. */
        IMPLICIT,
        /** Never; for this machine. */
        NONE;

        /** As in the setting. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param password the current one; it may change while the process runs */
    public record Login(String user, Supplier<String> password) {

        @Override
        public String toString() {
            return user;
        }
    }

    /** On this machine, without encryption or a login. */
    public static MailServer here(int port, Duration timeout) {
        return new MailServer(new Address("127.0.0.1", port), Tls.NONE, Optional.empty(), Optional.empty(), timeout);
    }
}
