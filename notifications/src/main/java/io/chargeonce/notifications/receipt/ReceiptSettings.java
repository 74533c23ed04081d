// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.IllformedLocaleException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of the receipts service. Immutable.
 *
 * @param schedule    the pauses between the tries of a receipt
 * @param connections how many messages may be under way at once
 */
public record ReceiptSettings(PipelineSettings pipeline, MailServer server, Letterhead letterhead, List<Duration> schedule,
        int connections, Duration keep) {

    public static final Setting<Address> SERVER = Setting.address("CHARGEONCE_SMTP_SERVER",
            "The mail server that takes the receipts.");
    public static final Setting<MailServer.Tls> TLS = Setting.oneOf("CHARGEONCE_SMTP_TLS", MailServer.Tls.class,
            "How the connection is encrypted: starttls (mostly port 587), implicit (465), or none, for a server on this machine.")
            .orElse("starttls");
    public static final Setting<Optional<Path>> CA = Setting.file("CHARGEONCE_SMTP_CA_FILE",
            "File with the certificates (PEM) that sign the mail server's; without it, those that the JVM trusts.").optional();
    public static final Setting<Optional<String>> USER = Setting.string("CHARGEONCE_SMTP_USER", "The login at the mail server.").optional();
    public static final Setting<Optional<Secret>> PASSWORD = Setting.secretFile("CHARGEONCE_SMTP_PASSWORD_FILE",
            "File with the password of that login.").optional();
    public static final Setting<Duration> TIMEOUT = Setting.duration("CHARGEONCE_SMTP_TIMEOUT",
            "How long one message may take in all, with the connection that it may need.").between("100ms", "5m").orElse("1m");
    public static final Setting<Integer> CONNECTIONS = Setting.integer("CHARGEONCE_SMTP_CONNECTIONS",
            "How many connections to the mail server one process has at most.").between("1", "100").orElse("4");
    public static final Setting<String> FROM = Setting.string("CHARGEONCE_RECEIPT_FROM",
            "The address that receipts come from, such as receipts@example.com.");
    public static final Setting<Optional<String>> REPLY_TO = Setting.string("CHARGEONCE_RECEIPT_REPLY_TO",
            "Where a customer's answer goes, unless the merchant has its own address for that.").optional();
    public static final Setting<String> LOCALE = Setting.string("CHARGEONCE_RECEIPT_LOCALE",
            "Language and country of receipts, such as en, de or fr-CA, unless the merchant has its own.").orElse("en");
    public static final Setting<String> ZONE = Setting.string("CHARGEONCE_RECEIPT_TIME_ZONE",
            "The time zone of the dates on receipts, such as Europe/Berlin.").orElse("UTC");
    public static final Setting<List<Duration>> SCHEDULE = Setting.durations("CHARGEONCE_RECEIPT_SCHEDULE",
            "The pauses between the tries of a receipt, each up to 10 % shorter or longer; then it is dead.")
            .orElse("30s,2m,10m,30m,2h,5h,10h,14h,16h,17h");
    public static final Setting<Duration> KEEP = Setting.duration("CHARGEONCE_RECEIPT_KEEP",
            "How long ended receipts stay listed and can be sent again.").between("20d", "400d").orElse("90d");

    public static final List<Setting<?>> ALL = Stream.of(PipelineSettings.OF_SERVICE, List.of(SERVER, TLS, CA, USER, PASSWORD, TIMEOUT,
            CONNECTIONS, FROM, REPLY_TO, LOCALE, ZONE, SCHEDULE, KEEP)).<Setting<?>>flatMap(List::stream).toList();

    public ReceiptSettings {
        schedule = List.copyOf(schedule);
        if (connections < 1) {
            throw new IllegalArgumentException("%s: must be at least 1".formatted(CONNECTIONS.name()));
        }
        checkAddress(FROM, letterhead.from());
        letterhead.replyTo().ifPresent(address -> checkAddress(REPLY_TO, address));
    }

    /** The usual pace. */
    public ReceiptSettings(PipelineSettings pipeline, MailServer server, Letterhead letterhead) {
        this(pipeline, server, letterhead, SCHEDULE.parse(SCHEDULE.fallback()), 4, Duration.ofDays(90));
    }

    public ReceiptSettings withPace(List<Duration> pauses, int atOnce) {
        return new ReceiptSettings(pipeline, server, letterhead, pauses, atOnce, keep);
    }

    public static ReceiptSettings from(Settings settings) {
        if (settings.get(USER).isPresent() != settings.get(PASSWORD).isPresent()) {
            throw new IllegalArgumentException("%s: needs %s, and the other way round".formatted(USER.name(), PASSWORD.name()));
        }
        var server = new MailServer(settings.get(SERVER), settings.get(TLS),
                settings.get(USER).map(user -> new MailServer.Login(user, settings.get(PASSWORD).orElseThrow())), settings.get(CA),
                settings.get(TIMEOUT));
        Trust.of(server.ca());
        if (server.tls() == MailServer.Tls.NONE && !server.address().isLoopback()) {
            settings.allow(List.of(("%s: is none, so the network to %s could read names, addresses and the password; set starttls or "
                    + "implicit").formatted(TLS.name(), server.address())));
        }
        var letterhead = new Letterhead(settings.get(FROM), settings.get(REPLY_TO), locale(settings.get(LOCALE)),
                zone(settings.get(ZONE)));
        return new ReceiptSettings(PipelineSettings.from(settings), server, letterhead, settings.get(SCHEDULE),
                settings.get(CONNECTIONS), settings.get(KEEP));
    }

    private static void checkAddress(Setting<?> setting, String address) {
        if (Recipient.of(address).isEmpty()) {
            throw new IllegalArgumentException("%s: must be a mail address, such as receipts@example.com".formatted(setting.name()));
        }
    }

    private static Locale locale(String tag) {
        try {
            return new Locale.Builder().setLanguageTag(tag).build();
        } catch (IllformedLocaleException e) {
            throw new IllegalArgumentException("%s: must be a language, with a country if needed, such as en, de or fr-CA"
                    .formatted(LOCALE.name()), e);
        }
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("%s: must be a time zone, such as Europe/Berlin".formatted(ZONE.name()), e);
        }
    }

    /** Leaves out what is secret. */
    @Override
    public String toString() {
        return "ReceiptSettings[%s, mailed by %s]".formatted(pipeline, server.address());
    }
}
