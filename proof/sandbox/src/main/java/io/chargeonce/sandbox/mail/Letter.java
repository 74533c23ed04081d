// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.mail;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.Part;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A message that has arrived, decoded.
 *
 * @param id      its Message-ID
 * @param headers all of them, as they came, one a line
 * @param text    the part for programs that show plain text; empty without one
 * @param html    the part for the others; empty without one
 */
public record Letter(String id, String from, List<String> to, String subject, List<String> headers, String text, String html) {

    public static Letter of(MimeMessage message) {
        try {
            return new Letter(message.getMessageID(), message.getFrom()[0].toString(),
                    Arrays.stream(message.getRecipients(Message.RecipientType.TO)).map(Object::toString).toList(), message.getSubject(),
                    Collections.list(message.getAllHeaderLines()), part(message, "text/plain"), part(message, "text/html"));
        } catch (MessagingException | IOException e) {
            throw new IllegalStateException("a message that arrived cannot be read", e);
        }
    }

    private static String part(Part part, String type) throws MessagingException, IOException {
        if (part.isMimeType(type)) {
            return String.valueOf(part.getContent());
        }
        if (part.getContent() instanceof Multipart several) {
            for (int i = 0; i < several.getCount(); i++) {
                String found = part(several.getBodyPart(i), type);
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return "";
    }
}
