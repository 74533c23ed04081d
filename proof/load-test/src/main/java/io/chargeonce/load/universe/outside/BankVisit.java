// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.load.universe.kernel.Kernel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * One log-in at the bank of a universe. Before and after each step the process may die, the line may break, and the server may take long.
 * For the strand that opened it.
 */
public final class BankVisit implements BankSession {

    private static final Duration FARTHEST = Duration.ofMillis(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final double BREAKS = 0.04;

    private final BankModel bank;
    private boolean open = true;

    private BankVisit(BankModel bank) {
        this.bank = bank;
    }

    static BankSession begin(BankModel bank) throws IOException {
        var visit = new BankVisit(bank);
        visit.before("a log-in at a bank");
        if (bank.has(BankModel.Trouble.UNREACHABLE)) {
            throw new IOException("Connection refused");
        }
        return visit;
    }

    private void before(String step) throws IOException {
        Kernel kernel = Kernel.it();
        kernel.point("before " + step);
        if (!open) {
            throw new IOException("The session is closed");
        }
        if (bank.has(BankModel.Trouble.SILENT)) {
            kernel.sleep(kernel.between(Duration.ZERO, TIMEOUT.multipliedBy(2)));
        }
        kernel.sleep(kernel.between(Duration.ZERO, FARTHEST));
        mayBreak("before " + step);
    }

    private void after(String step) throws IOException {
        Kernel.it().point("after " + step);
        mayBreak("after " + step);
    }

    private void mayBreak(String when) throws IOException {
        Kernel kernel = Kernel.it();
        if (bank.isUnkind() && kernel.chance(BREAKS)) {
            open = false;
            kernel.tell("a line to the bank cut", "the line to the bank is cut " + when);
            throw new IOException("Connection reset");
        }
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        before("a size is asked for");
        byte[] file = bank.incoming.get(name);
        return file == null ? OptionalLong.empty() : OptionalLong.of(file.length);
    }

    @Override
    public OutputStream write(String name) throws IOException {
        before("a file is written");
        if (bank.has(BankModel.Trouble.PERMISSION_DENIED)) {
            throw new IOException("Permission denied");
        }
        bank.incoming.put(name, new byte[0]);
        return new ByteArrayOutputStream() {
            private boolean closed;

            @Override
            public void close() throws IOException {
                if (closed) {
                    return;
                }
                closed = true;
                if (bank.has(BankModel.Trouble.DISK_FULL)) {
                    throw new IOException("No space left on device");
                }
                bank.incoming.put(name, Arrays.copyOf(buf, count / 2));
                after("half of a file is written");
                bank.incoming.put(name, toByteArray());
                after("a file is written");
            }
        };
    }

    @Override
    public void rename(String from, String to) throws IOException {
        before("a rename");
        byte[] file = bank.incoming.get(from);
        if (file == null || bank.incoming.containsKey(to)) {
            throw new IOException(file == null ? "No such file" : "The file exists");
        }
        bank.incoming.remove(from);
        bank.incoming.put(to, file);
        bank.arrived(to);
        after("a rename");
    }

    @Override
    public void removeOurs(String name) throws IOException {
        before("one of our files is removed");
        bank.incoming.remove(name);
        after("one of our files is removed");
    }

    @Override
    public List<Found> list() throws IOException {
        before("a look at a bank's files");
        return bank.outgoing.entrySet().stream().map(file -> new Found(file.getKey(), file.getValue().now().length, Instant.EPOCH))
                .toList();
    }

    @Override
    public InputStream read(String name) throws IOException {
        before("a bank's file is read");
        BankModel.Laid file = bank.outgoing.get(name);
        if (file == null) {
            throw new IOException("No such file");
        }
        return new ByteArrayInputStream(file.now());
    }

    @Override
    public void removeTheirs(String name) throws IOException {
        before("a bank's file is removed");
        if (bank.outgoing.remove(name) != null) {
            bank.fetched(name);
        }
        after("a bank's file is removed");
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
