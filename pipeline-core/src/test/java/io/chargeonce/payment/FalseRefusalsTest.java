// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often a merchant's own number is mistaken for a card number: 100,000 of each usual shape, the same in every run. */
class FalseRefusalsTest {

    private static final int EACH = 100_000;
    private static final String BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    /** A shape, and how many of 100,000 may be refused: a few, because a card of 12 to 15 or of 17 digits looks like it. */
    enum Shape {
        EPOCH_SECONDS(0, random -> "inv-" + seconds(random) + "-" + digits(random, 4)),
        EPOCH_MILLIS(0, random -> "order-" + seconds(random) + digits(random, 3)),
        EPOCH_MICROS(0, random -> seconds(random) + digits(random, 6)),
        EPOCH_NANOS(0, random -> "evt_" + seconds(random) + digits(random, 9)),
        DATE_AND_TIME(0, random -> "ORD-" + at(random, "yyyyMMdd-HHmmss") + "-" + digits(random, 4)),
        DATE_AND_TIME_RUN_TOGETHER(0, random -> at(random, "yyyyMMddHHmmss") + digits(random, 3)),
        DATE_AND_TIME_FOR_PEOPLE(0, random -> "paid on " + at(random, "dd.MM.yyyy HH:mm:ss")),
        YEAR_AND_NUMBER(0, random -> "2026-" + digits(random, 9)),
        UUIDS(1, random -> new UUID(random.nextLong(), random.nextLong()).toString()),
        UUID_AND_COUNTER(0, random -> uuidThatEndsWithDigits(random) + "-" + digits(random, 4)),
        COUNTER_AND_UUID(0, random -> digits(random, 4) + "-" + uuidThatStartsWithDigits(random)),
        HEX_ID_AND_COUNTER(0, random -> "cafe" + hex(random, 4) + digits(random, 12) + "-" + digits(random, 4)),
        UUID_WITHOUT_DASHES(1, random -> "order_" + hex(random, 16)),
        SHA256(1, random -> hex(random, 32)),
        ULID(0, random -> "01" + text(random, BASE32, 24)),
        PHONE(20, random -> "+" + (1 + random.nextInt(98)) + " " + digits(random, 3) + " " + digits(random, 7)),
        PHONE_RUN_TOGETHER(0, random -> "00" + (1 + random.nextInt(98)) + digits(random, 10)),
        IBAN(1, FalseRefusalsTest::iban),
        IBAN_IN_GROUPS(1, random -> String.join(" ", iban(random).split("(?<=\\G.{4})"))),
        COUNTED_ORDERS(0, random -> "" + (1_000_000_000_000_000L + random.nextInt())),
        ORDERS_OF_A_MARKETPLACE(250, random -> digits(random, 3) + "-" + digits(random, 7) + "-" + digits(random, 7)),
        /** They can be card numbers: three in ten start like an issuer's, and one in ten of those ends with the right check digit. */
        SIXTEEN_DIGITS_AT_RANDOM(3_000, random -> digits(random, 16));

        private final int most;
        private final Function<Random, String> make;

        Shape(int most, Function<Random, String> make) {
            this.most = most;
            this.make = make;
        }
    }

    @ParameterizedTest
    @EnumSource
    void usual_references_are_hardly_ever_taken_for_a_card_number(Shape shape) {
        var random = new Random(16);
        assertThat(Stream.generate(() -> shape.make.apply(random)).limit(EACH).filter(CardNumbers::isIn).count())
                .isLessThanOrEqualTo(shape.most);
    }

    private static String uuidThatEndsWithDigits(Random random) {
        return "a" + hex(random, 4).substring(1) + "-" + hex(random, 2) + "-" + hex(random, 2) + "-" + hex(random, 2) + "-"
                + digits(random, 12);
    }

    private static String uuidThatStartsWithDigits(Random random) {
        return digits(random, 8) + "-" + digits(random, 4) + "-" + hex(random, 2) + "-" + hex(random, 2) + "-" + hex(random, 5) + "a0";
    }

    private static String seconds(Random random) {
        return "" + (1_577_836_800L + random.nextInt(500_000_000));
    }

    private static String at(Random random, String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC)
                .format(Instant.ofEpochSecond(Long.parseLong(seconds(random))));
    }

    private static String digits(Random random, int count) {
        return text(random, "0123456789", count);
    }

    private static String hex(Random random, int bytes) {
        return text(random, "0123456789abcdef", 2 * bytes);
    }

    private static String text(Random random, String alphabet, int count) {
        var text = new StringBuilder(count);
        random.ints(count, 0, alphabet.length()).forEach(i -> text.append(alphabet.charAt(i)));
        return text.toString();
    }

    /** A right one; Germany, Denmark, Belgium, Austria, Finland, Spain, Portugal, Poland, Lithuania and the Netherlands. */
    private static String iban(Random random) {
        String[] lengths = {"DE18", "DK14", "BE12", "AT16", "FI14", "ES20", "PT21", "PL24", "LT16", "NL10"};
        String country = lengths[random.nextInt(lengths.length)];
        String account = (country.startsWith("NL") ? "ABNA" : "") + digits(random, Integer.parseInt(country.substring(2)));
        var number = new StringBuilder();
        (account + country.substring(0, 2) + "00").chars().forEach(c -> number.append(Character.digit(c, 36)));
        int remainder = new BigInteger(number.toString()).mod(BigInteger.valueOf(97)).intValue();
        return "%s%02d%s".formatted(country.substring(0, 2), 98 - remainder, account);
    }
}
