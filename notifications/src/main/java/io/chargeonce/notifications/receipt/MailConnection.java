// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.SendResult.Result;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.eclipse.angus.mail.smtp.SMTPTransport;

/** One connection to the mail server, opened when it is first needed and used again while it works. For one thread at a time. */
final class MailConnection implements AutoCloseable {

    /** A server closes an idle connection after some minutes (RFC 5321, 4.5.3.2.7), many much earlier. */
    private static final long IDLE_NANOS = 20_000_000_000L;
    private static final String PREFIX = "mail.smtp.";
    /** Said to a recipient, and about us. */
    static final String RELAY_REFUSED = "relay_refused";
    /** After the code, such as {@code 554 5.7.1}. */
    private static final Pattern ENHANCED = Pattern.compile("^5\\d\\d[ -]5\\.(\\d{1,3})\\.\\d{1,3}\\b");

    private final MailServer server;
    private final WatchedSockets sockets = new WatchedSockets();
    private final Session session;
    private Optional<SMTPTransport> open = Optional.empty();
    private long usedAt;
    private volatile boolean isLate;

    MailConnection(MailServer server, Letterhead letterhead) {
        this.server = server;
        this.session = Session.getInstance(properties(server, letterhead, sockets));
    }

    private static Properties properties(MailServer server, Letterhead letterhead, WatchedSockets sockets) {
        var properties = new Properties();
        String millis = "" + server.timeout().toMillis();
        properties.put(PREFIX + "connectiontimeout", millis);
        properties.put(PREFIX + "timeout", millis);
        properties.put(PREFIX + "socketFactory", sockets);
        if (server.tls() != MailServer.Tls.NONE) {
            properties.put(PREFIX + "ssl.checkserveridentity", "true");
            properties.put(PREFIX + "ssl.protocols", "TLSv1.3 TLSv1.2");
            properties.put(PREFIX + (server.tls() == MailServer.Tls.IMPLICIT ? "ssl.enable" : "starttls.enable"), "true");
            properties.put(PREFIX + "starttls.required", "" + (server.tls() == MailServer.Tls.STARTTLS));
        }
        properties.put(PREFIX + "auth", "" + server.login().isPresent());
        // Of the connection's own host neither name nor address may be looked up.
        properties.put(PREFIX + "localhost", letterhead.domain());
        properties.put(PREFIX + "from", letterhead.from());
        properties.put(PREFIX + "quitwait", "false");
        return properties;
    }

    Session session() {
        return session;
    }

    /** Within the server's timeout in all, as far as a {@link #cut} ends it. */
    SendResult send(MimeMessage message, Recipient recipient) {
        isLate = false;
        sockets.begin();
        Optional<SendResult> trouble = connect();
        if (trouble.isPresent()) {
            return trouble.get();
        }
        SMTPTransport transport = open.orElseThrow();
        try {
            transport.sendMessage(message, new Address[] {recipient.address()});
            usedAt = System.nanoTime();
            return SendResult.delivered(transport.getLastReturnCode());
        } catch (MessagingException e) {
            close();
            return answer(e);
        }
    }

    private Optional<SendResult> connect() {
        if (open.isPresent() && (System.nanoTime() - usedAt > IDLE_NANOS || !open.get().isConnected())) {
            close();
        }
        if (open.isPresent()) {
            return Optional.empty();
        }
        try {
            if (server.tls() != MailServer.Tls.NONE) {
                session.getProperties().put(PREFIX + "ssl.socketFactory", sockets.over(Trust.of(server.ca())));
            }
            var transport = (SMTPTransport) session.getTransport("smtp");
            open = Optional.of(transport);
            transport.connect(server.address().host(), server.address().port(), server.login().map(MailServer.Login::user).orElse(null),
                    server.login().map(login -> login.password().get()).orElse(null));
            return Optional.empty();
        } catch (AuthenticationFailedException e) {
            close();
            return Optional.of(SendResult.of(Result.NOT_SENT, "login_refused"));
        } catch (IllegalArgumentException noCertificates) {
            return Optional.of(SendResult.of(Result.NOT_SENT, "no_trusted_tls"));
        } catch (MessagingException e) {
            close();
            return Optional.of(isLate ? timedOut()
                    : causedByTls(e) ? SendResult.of(Result.NOT_SENT, "no_trusted_tls")
                            : SendResult.of(Result.FAILED, "no_connection"));
        }
    }

    private static SendResult timedOut() {
        return SendResult.of(Result.FAILED, "timed_out");
    }

    private static boolean causedByTls(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException || String.valueOf(cause.getMessage()).startsWith("STARTTLS is required")) {
                return true;
            }
        }
        return false;
    }

    /**
     * What the server refused decides: the recipient or the message concern this receipt alone; the sender, or a command before them,
     * concern all.
     */
    SendResult answer(MessagingException failure) {
        for (Exception one = failure; one != null; one = one instanceof MessagingException chained ? chained.getNextException() : null) {
            switch (one) {
                case SMTPAddressFailedException recipient when !isTemporary(recipient.getReturnCode()) && isPolicy(recipient) -> {
                    return SendResult.of(Result.NOT_SENT, recipient.getReturnCode(), RELAY_REFUSED);
                }
                case SMTPAddressFailedException recipient -> {
                    return judged(recipient.getReturnCode(), "recipient_refused");
                }
                case SMTPSenderFailedException sender -> {
                    return isTemporary(sender.getReturnCode()) ? later(sender.getReturnCode())
                            : SendResult.of(Result.NOT_SENT, sender.getReturnCode(), "sender_refused");
                }
                case SMTPSendFailedException message when !isAboutAll(message) -> {
                    return judged(message.getReturnCode(), "message_refused");
                }
                case SMTPSendFailedException all -> {
                    return isTemporary(all.getReturnCode()) ? later(all.getReturnCode())
                            : SendResult.of(Result.NOT_SENT, all.getReturnCode(), "sender_refused");
                }
                default -> {
                }
            }
        }
        // After the message's end and before the answer, the server may have taken it. The next try has the same Message-ID.
        return isLate ? timedOut() : SendResult.of(Result.FAILED, "connection_lost");
    }

    /**
     * Many servers, Postfix by default, say only here that they do not relay for us, or that our address, host or sender is refused. Then
     * the enhanced status is one of security or policy (5.7.x of RFC 3463). Or there is none, and the code is one for what is refused as a
     * whole (530 to 538, 554), not for a mailbox.
     */
    private static boolean isPolicy(SMTPAddressFailedException refused) {
        Matcher status = ENHANCED.matcher(String.valueOf(refused.getMessage()));
        int code = refused.getReturnCode();
        return status.find() ? status.group(1).equals("7") : code == 554 || isAboutLogin(code);
    }

    /** A login or TLS that is missing is our configuration's fault. */
    private static boolean isAboutAll(SMTPSendFailedException refused) {
        int code = refused.getReturnCode();
        return String.valueOf(refused.getCommand()).startsWith("MAIL") || isAboutLogin(code);
    }

    private static boolean isAboutLogin(int code) {
        return code == 530 || code == 534 || code == 535 || code == 538;
    }

    private static SendResult judged(int code, String error) {
        return isTemporary(code) ? later(code) : SendResult.of(Result.REFUSED, code, error);
    }

    private static boolean isTemporary(int code) {
        return code < 500;
    }

    private static SendResult later(int code) {
        return code < 400 ? SendResult.of(Result.FAILED, "connection_lost")
                : SendResult.of(Result.FAILED, code, "try_later");
    }

    /** Ends a message that takes too long. By another thread. */
    void cut() {
        isLate = true;
        sockets.cut();
    }

    @Override
    public void close() {
        open.ifPresent(transport -> {
            try {
                transport.close();
            } catch (MessagingException e) {
                // It is of no use any more either way.
                return;
            }
        });
        open = Optional.empty();
    }
}
