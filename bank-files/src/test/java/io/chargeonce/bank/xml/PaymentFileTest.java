// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.sandbox.bank.ReadFile;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What we write, held against a file that a person has read, and against Prowide's reader. */
class PaymentFileTest {

    private static final Creditor US = new Creditor("Acme GmbH & Söhne", "DE89370400440532013000", "COBADEFFXXX", "DE98ZZZ09999999999");
    private static final List<FileItem> ITEMS = List.of(
            new FileItem("abcdefghijklmnopqrstuvwxyz", "pay_234567abcdefghijklmnopqrst", 1_299, "EUR", "mandate_m1",
                    LocalDate.parse("2026-01-31"),
                    new Debtor("Jörg Müller", "DE02120300000000202051", Optional.of("BYLADEM1001")), "order <7> & more"),
            new FileItem("bcdefghijklmnopqrstuvwxyza", "pay_34567abcdefghijklmnopqrstu", 7, "EUR", "mandate_m2",
                    LocalDate.parse("2025-12-01"),
                    new Debtor("Zoë 李", "FR14 2004 1010 0505 0001 3M02 606", Optional.empty()), "…"));

    private static byte[] write(PaymentFile.Kind kind, long total) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var file = PaymentFile.begin(kind, new FileHead("CO-17", Instant.parse("2026-11-24T13:45:00.123Z"), 2, total, "EUR",
                LocalDate.parse("2026-11-25"), US), bytes);
        for (FileItem item : ITEMS) {
            file.add(item);
        }
        file.end();
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(PaymentFile.Kind.class)
    void a_file_is_the_golden_one_byte_by_byte(PaymentFile.Kind kind) throws Exception {
        byte[] written = write(kind, 1_306);
        try (InputStream golden = PaymentFileTest.class.getResourceAsStream(kind.tag() + ".xml")) {
            // The golden file has line breaks between elements, for people.
            String expected = new String(golden.readAllBytes(), StandardCharsets.UTF_8).replaceAll(">\\s+<", "><").strip();
            assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(PaymentFile.Kind.class)
    void a_reader_that_is_not_ours_reads_the_same_items(PaymentFile.Kind kind) throws Exception {
        ReadFile read = ReadFile.of(new String(write(kind, 1_306), StandardCharsets.UTF_8));
        assertThat(read.messageId()).isEqualTo("CO-17");
        assertThat(read.debit()).isEqualTo(kind == PaymentFile.Kind.DEBIT);
        assertThat(read.dueOn()).startsWith("2026-11-25");
        assertThat(read.items()).extracting(ReadFile.Item::endToEndId)
                .containsExactly("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza");
        assertThat(read.items()).extracting(ReadFile.Item::amount).containsExactly(new BigDecimal("12.99"), new BigDecimal("0.07"));
        assertThat(read.items()).extracting(ReadFile.Item::account).containsExactly("DE02120300000000202051",
                "FR1420041010050500013M02606");
    }

    @Test
    void a_file_whose_items_do_not_add_up_is_never_ended() {
        assertThatThrownBy(() -> write(PaymentFile.Kind.DEBIT, 1_307)).hasMessageContaining("Bug!");
    }

    @Test
    void a_hundred_thousand_items_take_the_memory_of_a_few() throws Exception {
        int items = 100_000;
        long[] written = {0};
        var file = PaymentFile.begin(PaymentFile.Kind.DEBIT, new FileHead("CO-18", Instant.EPOCH, items, items * 1_299L, "EUR",
                LocalDate.parse("2026-11-25"), US), new OutputStream() {
                    @Override
                    public void write(int one) {
                        written[0]++;
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) {
                        written[0] += length;
                    }
                });
        long after = 0;
        for (int i = 0; i < items; i++) {
            file.add(ITEMS.getFirst());
            if (i == 1_000) {
                after = usedAfterCollection();
            }
        }
        assertThat(usedAfterCollection() - after).isLessThan(8L << 20);
        file.end();
        assertThat(written[0]).isGreaterThan(items * 500L);
    }

    private static long usedAfterCollection() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @ParameterizedTest
    @CsvSource({"Jörg Müller, Jorg Muller", "Straße 1, Strasse 1", "a&b<c>, a.b.c.", "李, .", "'  x  ', x", "김, .", "STRAẞE, STRASSE",
        "O’Brien, O'Brien", "Müller\u00a0GmbH, Muller GmbH"})
    void only_characters_that_every_bank_takes_are_written(String text, String plain) {
        assertThat(PaymentFile.plain(text, 70)).isEqualTo(plain);
    }

    /** One letter may become several. A bank refuses the whole file for one text that is too long, with all debits in it. */
    @ParameterizedTest
    @ValueSource(strings = {"ß", "한", "李", "ab "})
    void no_text_of_a_file_is_longer_than_its_schema_allows(String letter) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var file = PaymentFile.begin(PaymentFile.Kind.DEBIT, new FileHead("CO-17", Instant.EPOCH, 1, 1, "EUR",
                LocalDate.parse("2026-11-25"), US), bytes);
        String name = letter.repeat(70).substring(0, 70).strip();
        file.add(new FileItem("k", "pay_1", 1, "EUR", "mandate_m1", LocalDate.parse("2026-01-31"), new Debtor(name,
                "DE02120300000000202051", Optional.empty()), letter.repeat(140).substring(0, 140)));
        file.end();
        String xml = bytes.toString(StandardCharsets.UTF_8);
        assertThat(xml).containsPattern("<Dbtr><Nm>[^<]{35,70}</Nm>").containsPattern("<Ustrd>[^<]{70,140}</Ustrd>");
    }

    @ParameterizedTest
    @EnumSource(PaymentFile.Kind.class)
    void every_text_of_a_file_has_only_characters_that_every_bank_takes(PaymentFile.Kind kind) throws Exception {
        String xml = new String(write(kind, 1_306), StandardCharsets.UTF_8);
        assertThat(xml.replaceFirst("^<[?][^>]*>", "").split("<[^>]*>")).allSatisfy(
                text -> assertThat(text).matches("[A-Za-z0-9/?:().,'+ -]*"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DE02120300000000202052", "DE02", "", "DE021203000000002020510000000000000000", "pm_card_visa"})
    void an_account_number_with_wrong_check_digits_is_refused(String iban) {
        assertThatThrownBy(() -> new Debtor("Jane", iban, Optional.empty())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no IBAN").hasMessageNotContaining("20205");
    }
}
