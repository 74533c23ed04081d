// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.text.Cut;
import io.chargeonce.text.Printable;
import java.text.NumberFormat;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.MissingResourceException;
import java.util.ResourceBundle;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a receipt says, in the customer's language: English, German, French or Spanish, and English words with the numbers and dates of the
 * country for any other. All texts of others come out as one line without characters that steer a terminal, a header or the direction of
 * reading. Immutable.
 */
record ReceiptWords(String subject, String heading, List<Line> lines, String footer) {

    record Line(String name, String value) {}

    private static final String BUNDLE = "io.chargeonce.notifications.receipt.words";
    private static final String CODE_MEETS_DIGIT = "(?<=\\p{L})(?=\\p{Nd})|(?<=\\p{Nd})(?=\\p{L})";
    private static final Pattern PLACE = Pattern.compile("\\{\\w+\\}");
    private static final int LONGEST = 500;

    static ReceiptWords of(Receipt.Content content, Locale locale, ZoneId zone) {
        ResourceBundle words = bundle(locale);
        String merchant = oneLine(content.merchant());
        String amount = amount(content.amount(), content.currency(), locale);
        String kind = switch (content.kind()) {
            case CHARGE -> "charge";
            case REFUND -> "refund";
            case REFUND_FAILED -> "refund_failed";
        };
        var lines = new ArrayList<Line>();
        lines.add(new Line(words.getString(kind + ".amount"), amount));
        lines.add(new Line(words.getString("date"), date(content.at(), locale, zone)));
        lines.add(new Line(words.getString("merchant"), merchant));
        content.reference().map(ReceiptWords::oneLine).ifPresent(text -> lines.add(new Line(words.getString("reference"), text)));
        content.description().map(ReceiptWords::oneLine).ifPresent(text -> lines.add(new Line(words.getString("description"), text)));
        lines.add(new Line(words.getString("payment"), content.payment()));
        Map<String, String> values = Map.of("{merchant}", merchant, "{amount}", amount);
        return new ReceiptWords(filled(words.getString(kind + ".subject"), values), filled(words.getString(kind + ".heading"), values),
                List.copyOf(lines), filled(words.getString("footer"), values));
    }

    /** In one pass: a value that looks like a place for another one stays as it is. */
    private static String filled(String template, Map<String, String> values) {
        return PLACE.matcher(template).replaceAll(place -> Matcher.quoteReplacement(values.get(place.group())));
    }

    /** The root is English, and not the language of this machine. */
    private static ResourceBundle bundle(Locale locale) {
        try {
            return ResourceBundle.getBundle(BUNDLE, locale, ReceiptWords.class.getClassLoader(),
                    ResourceBundle.Control.getNoFallbackControl(ResourceBundle.Control.FORMAT_PROPERTIES));
        } catch (MissingResourceException e) {
            throw new IllegalStateException("Bug! The words of receipts are not in the jar", e);
        }
    }

    /** In the currency's own minor units: 1299 is EUR 12.99, JPY 1,299 and KWD 1.299. */
    static String amount(long minorUnits, String code, Locale locale) {
        var currency = Currency.getInstance(code);
        int digits = Math.max(currency.getDefaultFractionDigits(), 0);
        NumberFormat format = NumberFormat.getCurrencyInstance(locale);
        format.setCurrency(currency);
        format.setMinimumFractionDigits(digits);
        format.setMaximumFractionDigits(digits);
        // Where a currency has no sign, Java puts its code against the digits: KWD1.299.
        return format.format(BigDecimal.valueOf(minorUnits, digits)).replaceAll(CODE_MEETS_DIGIT, "\u00a0");
    }

    private static String date(Instant at, Locale locale, ZoneId zone) {
        return DateTimeFormatter.ofLocalizedDateTime(FormatStyle.LONG, FormatStyle.SHORT).withLocale(locale).format(at.atZone(zone))
                + " " + zoneName(at, locale, zone);
    }

    /**
     * {@code CET}, {@code MESZ}: an hour that the clocks repeat is told apart by it. Some languages have one name in Java for both times
     * of a zone; then the English name stands, or the distance to UTC.
     */
    private static String zoneName(Instant at, Locale locale, ZoneId zone) {
        return Stream.of(locale, Locale.ENGLISH).map(language -> DateTimeFormatter.ofPattern("z", language).withZone(zone))
                .filter(name -> otherTimes(at, zone.getRules()).noneMatch(other -> name.format(other).equals(name.format(at))))
                .map(name -> name.format(at)).findFirst().orElseGet(() -> "UTC" + zone.getRules().getOffset(at).getId());
    }

    /** Moments shortly before and after, at which the clocks of the zone go otherwise. */
    private static Stream<Instant> otherTimes(Instant at, ZoneRules rules) {
        return Stream.concat(Stream.ofNullable(rules.previousTransition(at)).map(change -> change.getInstant().minusSeconds(1)),
                Stream.ofNullable(rules.nextTransition(at)).map(ZoneOffsetTransition::getInstant))
                .filter(other -> !rules.getOffset(other).equals(rules.getOffset(at)));
    }

    static String oneLine(String text) {
        return Cut.to(LONGEST, Printable.oneLine(text));
    }

    String text() {
        var out = new StringBuilder(heading).append("\r\n\r\n");
        lines.forEach(line -> out.append(line.name).append(": ").append(line.value).append("\r\n"));
        return out.append("\r\n").append(footer).append("\r\n").toString();
    }

    String html() {
        var rows = new StringBuilder();
        lines.forEach(line -> rows.append("<tr><th align=\"left\" style=\"padding:4px 16px 4px 0\">").append(escaped(line.name))
                .append("</th><td style=\"padding:4px 0\">").append(escaped(line.value)).append("</td></tr>\r\n"));
        return """
                <!DOCTYPE html>
                <html><head><meta charset="utf-8"><title>%s</title></head>
                <body style="font-family:sans-serif">
                <h2>%s</h2>
                <table>
                %s</table>
                <p>%s</p>
                </body></html>
                """.formatted(escaped(subject), escaped(heading), rows, escaped(footer));
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'", "&#39;");
    }
}
