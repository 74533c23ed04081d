// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.inbound;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.outbound.Submitter;
import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.bank.sftp.BankSession.Found;
import io.chargeonce.bank.sftp.SftpSession;
import io.chargeonce.database.Database;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.text.Printable;
import io.chargeonce.vault.Vault;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches a bank's files: those that have stayed the same for a while. Each is taken in one transaction, and removed at the bank
 * only after it, and only if all of its bytes are here. For one thread; processes may each have one, and one of them works.
 */
public final class Inbound {

    private static final Logger LOG = LoggerFactory.getLogger(Inbound.class);
    public static final long LARGEST = 256L * 1024 * 1024;

    private final BankAccount account;
    private final Database database;
    private final long largest;
    private final TakeFile takeFile;
    private final ReleasedFiles released;
    private final Counter failed;
    private final Duration steady;
    /** Since when each file has been as it is now, by the JVM's clock. */
    private final Map<Found, Long> since = new HashMap<>();
    /** What was taken and is still at the bank, with its hash: it is only removed, and not fetched again. */
    private final Map<Found, byte[]> toRemove = new HashMap<>();
    /** What is not whole here, and so stays at the bank. */
    private final Set<Found> left = new HashSet<>();
    private volatile int setAside;
    /** By the JVM's clock; the start counts as a look. */
    private volatile long looked = System.nanoTime();

    /**
     * @param keys    mark each line for charge, if there are any
     * @param largest in bytes; a longer file is set aside and stays at the bank
     * @param steady  how long size and time of a file must stay the same. It may still be written before, and looks may follow each other
     *                at once
     */
    public Inbound(BankAccount account, Database database, Vault vault, SettlementKeys keys, long largest, Duration steady,
                   MeterRegistry meters) {
        this.account = account;
        this.database = database;
        this.largest = largest;
        this.steady = steady;
        this.takeFile = new TakeFile(account, database, vault, keys);
        this.released = new ReleasedFiles(account, database, vault, takeFile);
        Gauge.builder("chargeonce.bank.files.quarantined", this, inbound -> inbound.setAside).tag("bank", account.name())
                .description("Files of a bank that are set aside until a person closes them").register(meters);
        this.failed = meters.counter("chargeonce.bank.files.failed", "bank", account.name());
        TimeGauge.builder("chargeonce.bank.look.age", this, TimeUnit.NANOSECONDS, inbound -> System.nanoTime() - inbound.looked)
                .tag("bank", account.name()).description("How long ago this process last looked at all of the bank's files")
                .register(meters);
    }

    /** One look. Returns how many files it took. */
    public int runOnce() {
        int taken = Submitter.alone(database, account.name(), fence -> released.runOnce() + look()).orElse(0);
        setAside = database.withConnection(connection -> InboxTable.setAside(connection, account.name()));
        return taken;
    }

    private int look() {
        try (BankSession bank = SftpSession.open(account.place())) {
            List<Found> found = bank.list();
            long now = System.nanoTime();
            since.keySet().retainAll(Set.copyOf(found));
            List<Found> stable =
                    found.stream().filter(since::containsKey).filter(file -> now - since.get(file) >= steady.toNanos()).toList();
            found.forEach(file -> since.putIfAbsent(file, now));
            toRemove.keySet().retainAll(found);
            left.retainAll(found);
            int taken = 0;
            for (Found file : stable) {
                taken += takeAlone(bank, file) ? 1 : 0;
            }
            looked = System.nanoTime();
            return taken;
        } catch (IOException e) {
            LOG.warn("The files of {} cannot be looked at now: {}", account.name(), Printable.of(String.valueOf(e.getMessage())));
            return 0;
        }
    }

    /** What is wrong with one file keeps no other from being read. */
    private boolean takeAlone(BankSession bank, Found file) throws IOException {
        try {
            return take(bank, file);
        } catch (IOException | RuntimeException e) {
            if (e instanceof IOException gone && !bank.isOpen()) {
                throw gone;
            }
            failed.increment();
            LOG.error("ALERT: file {} of {} could not be {}, and is tried again at the next look", file.shown(), account.name(),
                    toRemove.containsKey(file) ? "removed there" : "taken", e);
            return false;
        }
    }

    private boolean take(BankSession bank, Found file) throws IOException {
        return !left.contains(file) && (toRemove.containsKey(file) || fetchAndTake(bank, file)) && remove(bank, file);
    }

    private boolean remove(BankSession bank, Found file) throws IOException {
        if (bank.isAnother(file)) {
            LOG.info("File {} of {} is another one by now, and is read at a later look", file.shown(), account.name());
            toRemove.remove(file);
            return true;
        }
        bank.removeTheirs(file.name());
        takeFile.removed(toRemove.remove(file));
        return true;
    }

    /** False if it waits, or stays at the bank. */
    private boolean fetchAndTake(BankSession bank, Found file) throws IOException {
        Path local = Files.createTempFile("chargeonce-bank", ".xml");
        try {
            Optional<String> tooLong = fetch(bank, file, local);
            Optional<Boolean> whole = switch (takeFile.take(file.name(), local, tooLong)) {
                case TakeFile.Result.Read read -> {
                    LOG.info("File {} of {} is read: {} lines", file.shown(), account.name(), read.lines());
                    yield Optional.of(true);
                }
                case TakeFile.Result.Known known -> {
                    LOG.info("File {} of {} was taken before", file.shown(), account.name());
                    yield Optional.of(known.whole());
                }
                case TakeFile.Result.Quarantined strange -> {
                    LOG.error("ALERT: file {} of {} is set aside: {}; see bank unmatched", file.shown(), account.name(), strange.why());
                    yield Optional.of(strange.whole());
                }
                case TakeFile.Result.Later later -> {
                    LOG.info("File {} of {} waits: {}", file.shown(), account.name(), later.why());
                    yield Optional.empty();
                }
            };
            if (whole.equals(Optional.of(true))) {
                toRemove.put(file, TakeFile.sha256(local));
            } else if (whole.isPresent()) {
                left.add(file);
            }
            return whole.orElse(false);
        } finally {
            Files.deleteIfExists(local);
        }
    }

    /** @return why the file is too long to be read; then only its beginning was fetched */
    private Optional<String> fetch(BankSession bank, Found file, Path local) throws IOException {
        long rest = largest;
        try (InputStream from = bank.read(file.name()); var to = Files.newOutputStream(local)) {
            byte[] buffer = new byte[64 * 1024];
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                if (read > rest) {
                    return Optional.of("it is longer than %d bytes".formatted(largest));
                }
                to.write(buffer, 0, read);
                rest -= read;
            }
            return Optional.empty();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
