// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.bank.xml.BankMessage;
import io.chargeonce.bank.xml.BankMessage.Unreadable;
import io.chargeonce.bank.xml.BankMessageReader;
import java.io.InputStream;
import java.util.function.Consumer;

/** A bank's camt.053 or camt.054: its bookings, and what came back of them. */
public record CamtReport(String bank) implements Report {

    /** A statement that is cut off is none. */
    @Override
    public void check(InputStream in) {
        read(in, entry -> {});
    }

    @Override
    public void read(InputStream in, Consumer<Entry> to) {
        var number = new long[1];
        try {
            BankMessage message = BankMessageReader.read(in, line -> to.accept(entry(++number[0], line)));
            if (!message.message().startsWith("camt.")) {
                throw new WrongFormat("it is a %s, and bookings are in a camt.053 or camt.054".formatted(message.message()));
            }
        } catch (Unreadable wrong) {
            throw new WrongFormat(wrong.getMessage());
        }
    }

    private Entry entry(long number, BankMessage.Line line) {
        if (line.amount().isEmpty() || line.currency().isEmpty() || line.credit().isEmpty()) {
            return new Entry.Other(line.kind());
        }
        if (line.on().isEmpty()) {
            return new Entry.Unreadable(number, "it does not say on which day it was booked");
        }
        return new BankBooking(bank, number, line.kind().equals("returned"), line.endToEndId(), line.amount().get(), line.currency().get(),
                line.credit().get(), line.reference(), line.on().get()).entry();
    }

    @Override
    public boolean hasIds() {
        return true;
    }
}
