// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/** Reads the reports of one account at a PSP. */
public interface Report {

    /**
     * @throws WrongFormat if this is no such report; then no entry was given
     */
    void read(InputStream in, Consumer<Entry> to) throws IOException;

    /**
     * Reads all of it and gives nothing, for a report that counts only as a whole.
     *
     * @throws WrongFormat if this is no such report, or only a part of one
     */
    default void check(InputStream in) throws IOException {}

    /** Whether the PSP gives each line an id of its own. If not, two lines of one report with one id are two movements. */
    boolean hasIds();

    /** It is no such report. */
    final class WrongFormat extends RuntimeException {
        private static final long serialVersionUID = 1;

        public WrongFormat(String why) {
            super(why);
        }
    }

    /** The formats that are known. */
    enum Format {
        /** Balance transactions as JSON, one a line, or the itemised balance report as CSV. */
        STRIPE,
        /** The settlement details report as CSV. */
        ADYEN,
        /** A bank's camt.053 or camt.054. */
        CAMT,
        /** CSV of our own, for any other PSP: see {@link PlainReport}. */
        PLAIN;

        /** @param psp the account's name */
        public Report report(String psp) {
            return switch (this) {
                case STRIPE -> new StripeEither(psp);
                case ADYEN -> new AdyenReport(psp);
                case CAMT -> new CamtReport(psp);
                case PLAIN -> new PlainReport(psp);
            };
        }

        /** By the first word of an account's name. */
        public static Format usual(String psp) {
            return switch (psp.split("-", 2)[0]) {
                case "stripe" -> STRIPE;
                case "adyen" -> ADYEN;
                case "bank" -> CAMT;
                default -> PLAIN;
            };
        }
    }

    /** JSON begins with a brace, CSV does not. */
    record StripeEither(String psp) implements Report {

        @Override
        public void read(InputStream in, Consumer<Entry> to) throws IOException {
            var buffered = new BufferedInputStream(in);
            buffered.mark(1);
            int first = buffered.read();
            buffered.reset();
            (first == '{' ? new StripeTransactions(psp) : new StripeItemised(psp)).read(buffered, to);
        }

        @Override
        public boolean hasIds() {
            return true;
        }
    }
}
