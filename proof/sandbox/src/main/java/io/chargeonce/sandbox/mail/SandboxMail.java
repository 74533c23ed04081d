// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.mail;

import com.icegreen.greenmail.store.FolderException;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A mail server, GreenMail, on 127.0.0.1: it takes mail for everyone by SMTP, and shows it by IMAP with any password. Any thread. */
public final class SandboxMail implements AutoCloseable {

    private static final String HERE = "127.0.0.1";
    /** It keeps messages in memory, and {@code up} may run for weeks. */
    private static final int MOST_KEPT = 5_000;
    private static final int LOOK_EVERY_SECONDS = 10;

    private static final long STARTUP_MILLIS = 60_000;

    private final GreenMail server;
    private final ScheduledExecutorService tidying =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("sandbox-mail-tidying").factory());

    private SandboxMail(GreenMail server) {
        this.server = server;
    }

    /** Each port may be 0, for any free one. */
    public static SandboxMail start(int smtpPort, int imapPort) {
        var server = new GreenMail(new ServerSetup[] {on(smtpPort, ServerSetup.PROTOCOL_SMTP), on(imapPort, ServerSetup.PROTOCOL_IMAP)});
        server.getUserManager().setAuthRequired(false);
        server.start();
        var mail = new SandboxMail(server);
        mail.tidying.scheduleWithFixedDelay(mail::tidy, LOOK_EVERY_SECONDS, LOOK_EVERY_SECONDS, TimeUnit.SECONDS);
        return mail;
    }

    /** Its threads may take longer than GreenMail's two seconds to come up on a busy machine. */
    private static ServerSetup on(int port, String protocol) {
        var setup = new ServerSetup(port, HERE, protocol);
        setup.setServerStartupTimeout(STARTUP_MILLIS);
        return setup;
    }

    private void tidy() {
        try {
            if (server.getReceivedMessages().length > MOST_KEPT) {
                server.purgeEmailFromAllMailboxes();
            }
        } catch (FolderException | RuntimeException e) {
            // Next time.
            return;
        }
    }

    public int port() {
        return server.getSmtp().getPort();
    }

    public int imapPort() {
        return server.getImap().getPort();
    }

    /** What has arrived, in order. */
    public List<Letter> letters() {
        return Arrays.stream(server.getReceivedMessages()).map(Letter::of).toList();
    }

    /** What has arrived for this address. */
    public List<Letter> lettersTo(String address) {
        return letters().stream().filter(letter -> letter.to().contains(address)).toList();
    }

    @Override
    public void close() {
        tidying.shutdownNow();
        server.stop();
    }
}
