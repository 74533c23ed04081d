// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.PspKey;
import io.chargeonce.reconcile.report.Entry;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.settlement.SettlementLines;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Records the lines of one report, a thousand at a time. A line that is recorded already is recorded once, so a report may be read again
 * from its beginning after any end. For one thread.
 */
final class Recorder implements Consumer<Entry> {

    private static final int AT_ONCE = 1000;

    /** Runs work in a transaction: one for each batch, or the caller's. */
    interface Transactions {
        <T> T run(Database.Work<T> work);
    }

    private final Transactions transactions;
    private final String psp;
    private final byte[] reportSha256;
    private final boolean hasIds;
    private final SettlementKeys keys;
    private final Totals totals;
    private final List<Entry.Booked> batch = new ArrayList<>();
    private final Map<String, Long> others = new TreeMap<>();
    private long lines;
    private long recorded;
    /** Whether the account that a person named must still prove to be the report's. */
    private boolean isDoubted;

    /**
     * @param hasIds    whether the PSP gives each line an id of its own
     * @param isDoubted whether a person named the account, so that it may be another one's report
     */
    Recorder(Transactions transactions, String psp, byte[] reportSha256, boolean hasIds, boolean isDoubted, SettlementKeys keys,
             Totals totals) {
        this.transactions = transactions;
        this.psp = psp;
        this.reportSha256 = reportSha256;
        this.hasIds = hasIds;
        this.isDoubted = isDoubted;
        this.keys = keys;
        this.totals = totals;
    }

    @Override
    public void accept(Entry entry) {
        lines++;
        switch (entry) {
            case Entry.Booked booked -> {
                batch.add(booked);
                if (batch.size() == AT_ONCE) {
                    flush();
                }
            }
            case Entry.Other(String what) -> count(what);
            case Entry.Unreadable(long number, String why) ->
                totals.add(new Difference(Finding.UNREADABLE, Optional.empty(), Optional.empty(),
                        "", 0, 0, Optional.of("line " + number), CardNumbers.hiddenIn(why)));
        }
    }

    /** A broken report must not fill the memory with words. */
    private void count(String what) {
        String name = what.length() > 60 || others.size() > 100 && !others.containsKey(what) ? "…" : what;
        others.merge(CardNumbers.hiddenIn(name), 1L, Long::sum);
    }

    /** Records what is left. */
    void flush() {
        if (!batch.isEmpty()) {
            List<Entry.Booked> taken = List.copyOf(batch);
            batch.clear();
            List<SettlementLines.Booked> booked = transactions.run(connection -> record(connection, taken));
            recorded += booked.stream().filter(one -> one.fate() == SettlementLines.Fate.NEW).count();
            booked.stream().filter(one -> one.fate() == SettlementLines.Fate.ALTERED).map(Recorder::altered).forEach(totals::add);
        }
    }

    private List<SettlementLines.Booked> record(Connection connection, List<Entry.Booked> entries) throws SQLException {
        List<BookedLine> named = new ArrayList<>();
        Map<Entry.Booked, PspKey> refunds = UnnamedRefunds.find(connection, entries);
        entries.forEach(one -> named.add(refunds.containsKey(one) ? one.line().about(refunds.get(one)) : one.line()));
        if (isDoubted) {
            mustBeOfThisAccount(connection, named);
            isDoubted = false;
        }
        List<SettlementLines.Booked> booked = SettlementLines.book(connection, psp, reportSha256, keys, named);
        List<BookedLine> twins = hasIds ? List.of() : booked.stream().filter(SettlementLines.Booked::isTwin)
                .map(one -> one.line().named(one.line().id() + "#" + one.line().number())).toList();
        if (!twins.isEmpty()) {
            booked = new ArrayList<>(booked);
            booked.addAll(SettlementLines.book(connection, psp, reportSha256, keys, twins));
        }
        return booked;
    }

    private static final String ACCOUNTS = "SELECT DISTINCT psp FROM payment_attempt WHERE psp_key = ANY (?) ORDER BY psp";

    /** The first thousand lines show it: a strange one among ours is reported, and a report of strange ones alone was given by mistake. */
    private void mustBeOfThisAccount(Connection connection, List<BookedLine> named) throws SQLException {
        List<String> accounts = Sql.all(connection, ACCOUNTS, row -> row.getString(1),
                named.stream().flatMap(line -> line.key().stream()).map(PspKey::value).distinct().toList());
        if (!accounts.isEmpty() && !accounts.contains(psp)) {
            throw new Reconciliation.OtherAccount(psp, accounts);
        }
    }

    private static Difference altered(SettlementLines.Booked booked) {
        BookedLine line = booked.line();
        return new Difference(Finding.ALTERED, line.key().map(PspKey::value), Optional.empty(), line.money().currency(), 0,
                line.money().minorUnits(), Optional.of(line.id()), Finding.ALTERED.words());
    }

    /** How many lines were read. */
    long lines() {
        return lines;
    }

    /** How many of them are recorded for the first time. */
    long recorded() {
        return recorded;
    }

    /** How many lines there are of each kind that moves no money of an attempt. */
    Map<String, Long> others() {
        return Map.copyOf(others);
    }
}
