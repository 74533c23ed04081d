// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import com.stripe.exception.AuthenticationException;
import com.stripe.exception.StripeException;
import io.chargeonce.psp.stripe.StripeBalance;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.reconcile.report.Entry;
import io.chargeonce.reconcile.report.StripeTransactions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * What Stripe booked in a time, asked at Stripe itself.
 *
 * @param to the first second that does not count
 */
public record StripeSource(StripeSettings account, Instant from, Instant to) implements Source {

    /** Stripe refuses the key, or does not answer. */
    public static final class NotListed extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final boolean away;

        NotListed(String why, boolean away, Throwable cause) {
            super(why, cause);
            this.away = away;
        }

        /** Whether it may go better later. */
        public boolean isAway() {
            return away;
        }
    }

    @Override
    public void each(Consumer<Entry> to) {
        var reader = new StripeTransactions(account.name());
        var number = new long[1];
        list(transaction -> to.accept(reader.entry(++number[0], transaction)));
    }

    private void list(Consumer<JsonNode> each) {
        try {
            new StripeBalance(account).each(from, to, each);
        } catch (AuthenticationException e) {
            throw new NotListed("Stripe refuses this key for %s; it must be allowed to read balance transactions, charges and refunds"
                    .formatted(account.name()), false, e);
        } catch (StripeException e) {
            throw new NotListed(
                    "Stripe's balance transactions of %s cannot be listed (%s); run it again, for what was read is recorded once"
                            .formatted(account.name(), e.getMessage()),
                    true, e);
        }
    }

    /** The same in a file, without what a comparison does not need: no transaction may stay open while Stripe is asked. */
    public Source keptIn(Path file) {
        try (var out = Files.newBufferedWriter(file)) {
            list(transaction -> {
                try {
                    out.write(StripeTransactions.brief(transaction) + "\n");
                } catch (IOException e) {
                    throw new UncheckedIOException(file + " cannot be written", e);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written", e);
        }
        return new OfFile(file, new StripeTransactions(account.name()));
    }

    /** Of the status query: what was booked in a time that is over does not change. */
    @Override
    public byte[] sha256() {
        return Source.digest().digest("balance transactions of %s from %s to %s".formatted(account.name(), from, to)
                .getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean hasIds() {
        return true;
    }
}
