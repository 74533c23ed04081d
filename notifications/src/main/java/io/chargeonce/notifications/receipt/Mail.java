// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.text.Cut;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.IllformedLocaleException;
import java.util.Locale;
import java.util.Optional;

/** Turns a receipt into a message with a text and an HTML part. Any thread. */
final class Mail {

    private static final String UTF_8 = StandardCharsets.UTF_8.name();
    private static final int LONGEST_NAME = 100;

    private final Session session;
    private final Letterhead letterhead;

    Mail(Session session, Letterhead letterhead) {
        this.session = session;
        this.letterhead = letterhead;
    }

    /** With an id of ours, where the library would make up another one for each try. */
    private static final class Identified extends MimeMessage {

        private final String id;

        Identified(Session session, String id) {
            super(session);
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", id);
        }
    }

    /** @param sentAt for its date */
    MimeMessage of(Receipt receipt, Receipt.Content content, Recipient recipient, Instant sentAt) throws MessagingException {
        ReceiptWords words = ReceiptWords.of(content, locale(content), letterhead.zone());
        var message = new Identified(session, "<" + receipt.id() + "@" + letterhead.domain() + ">");
        message.setFrom(named(letterhead.from(), content.merchant()));
        message.setRecipient(Message.RecipientType.TO, recipient.address());
        Optional<Recipient> replyTo = content.replyTo().or(letterhead::replyTo).flatMap(Recipient::of);
        if (replyTo.isPresent()) {
            message.setReplyTo(new InternetAddress[] {replyTo.get().address()});
        }
        message.setSubject(words.subject(), UTF_8);
        message.setSentDate(Date.from(sentAt));
        // No answering machine may answer it.
        message.setHeader("Auto-Submitted", "auto-generated");
        message.setContent(parts(words));
        message.saveChanges();
        return message;
    }

    private static MimeMultipart parts(ReceiptWords words) throws MessagingException {
        var text = new MimeBodyPart();
        text.setText(words.text(), UTF_8, "plain");
        var html = new MimeBodyPart();
        html.setText(words.html(), UTF_8, "html");
        // The last part is the one that a program shows if it can.
        return new MimeMultipart("alternative", text, html);
    }

    private static InternetAddress named(String address, String name) throws MessagingException {
        try {
            return new InternetAddress(address, Cut.to(LONGEST_NAME, ReceiptWords.oneLine(name)), UTF_8);
        } catch (UnsupportedEncodingException everyJvmHasIt) {
            throw new IllegalStateException("Bug! UTF-8 is unknown", everyJvmHasIt);
        }
    }

    private Locale locale(Receipt.Content content) {
        try {
            return content.locale().map(tag -> new Locale.Builder().setLanguageTag(tag).build()).orElseGet(letterhead::locale);
        } catch (IllformedLocaleException notOne) {
            return letterhead.locale();
        }
    }
}
