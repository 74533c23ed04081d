// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.bank.xml.BankMessage.Line;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BankMessageReaderTest {

    private static final String CAMT =
            "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.054.001.02\"><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>N1"
                    + "</MsgId></GrpHdr><Ntfctn>%s</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>";

    private final List<Line> lines = new ArrayList<>();

    private BankMessage read(String xml) throws BankMessage.Unreadable {
        return BankMessageReader.read(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)), lines::add);
    }

    @Test
    void a_status_report_says_what_is_rejected_and_of_which_file() throws Exception {
        BankMessage message = read("""
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
                 <GrpHdr><MsgId>S1</MsgId></GrpHdr>
                 <OrgnlGrpInfAndSts><OrgnlMsgId>CO-17</OrgnlMsgId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>
                 <OrgnlPmtInfAndSts><OrgnlPmtInfId>CO-17</OrgnlPmtInfId>
                  <TxInfAndSts><OrgnlEndToEndId>k1</OrgnlEndToEndId><TxSts>RJCT</TxSts>
                   <StsRsnInf><Rsn><Cd>AM04</Cd></Rsn></StsRsnInf></TxInfAndSts>
                  <TxInfAndSts><OrgnlEndToEndId>k2</OrgnlEndToEndId><TxSts>ACCP</TxSts></TxInfAndSts>
                 </OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>""");
        assertThat(message.messageId()).isEqualTo("S1");
        assertThat(message.status()).contains(new BankMessage.FileStatus("CO-17", "PART", ""));
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.kind()).isEqualTo("rejected");
            assertThat(line.endToEndId()).isEqualTo("k1");
            assertThat(line.code()).isEqualTo("AM04");
        });
    }

    private static final String REFUSED = """
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
             <GrpHdr><MsgId>S1</MsgId></GrpHdr>
             <OrgnlGrpInfAndSts><OrgnlMsgId>CO-17</OrgnlMsgId><GrpSts>RJCT</GrpSts>
              <StsRsnInf><Rsn><Cd>%s</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts>
             <OrgnlPmtInfAndSts><OrgnlPmtInfId>CO-17</OrgnlPmtInfId>
              <TxInfAndSts><OrgnlEndToEndId>k1</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>
             </OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>""";

    @ParameterizedTest
    @ValueSource(strings = {"AM05", "DUPL", "DU01", "DU02", "DU03", "DU04"})
    void the_items_of_a_file_that_is_there_already_are_not_rejected(String duplicate) throws Exception {
        assertThat(read(REFUSED.formatted(duplicate)).status()).contains(new BankMessage.FileStatus("CO-17", "RJCT", duplicate));
        assertThat(lines).isEmpty();
    }

    @Test
    void what_rejects_the_one_block_of_a_file_rejects_the_file() throws Exception {
        BankMessage message = read("""
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>
                 <GrpHdr><MsgId>S1</MsgId></GrpHdr>
                 <OrgnlGrpInfAndSts><OrgnlMsgId>CO-17</OrgnlMsgId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>
                 <OrgnlPmtInfAndSts><OrgnlPmtInfId>CO-17</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>
                  <StsRsnInf><Rsn><Cd>AC02</Cd></Rsn></StsRsnInf></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>""");
        assertThat(message.status()).contains(new BankMessage.FileStatus("CO-17", "RJCT", "AC02"));
    }

    @Test
    void an_item_without_a_reason_has_its_files() throws Exception {
        read(REFUSED.formatted("AC04"));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.code()).isEqualTo("AC04"));
    }

    @Test
    void an_amount_is_in_the_units_of_its_currency() throws Exception {
        read(CAMT.formatted("<Ntry><Amt Ccy=\"JPY\">1000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts></Ntry>"));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.amount()).contains(1_000L));
    }

    @Test
    void an_entry_with_several_items_gives_a_line_for_each_with_its_own_amount() throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt>
                 <AcctSvcrRef>B1</AcctSvcrRef><NtryDtls>
                 <TxDtls><Refs><EndToEndId>k1</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">10.00</Amt></TxAmt></AmtDtls></TxDtls>
                 <TxDtls><Refs><AcctSvcrRef>B3</AcctSvcrRef><EndToEndId>k2</EndToEndId></Refs><Amt Ccy="EUR">20.00</Amt></TxDtls>
                 </NtryDtls></Ntry>"""));
        assertThat(lines).containsExactly(
                new Line("booked", "k1", Optional.of(1_000L), Optional.of("EUR"), Optional.of(true), "", "B1",
                        Optional.of(LocalDate.parse("2026-11-25"))),
                new Line("booked", "k2", Optional.of(2_000L), Optional.of("EUR"), Optional.of(true), "", "B3",
                        Optional.of(LocalDate.parse("2026-11-25"))));
    }

    /** In one entry under its reference, and in two entries without any. */
    @ParameterizedTest
    @CsvSource({"<AcctSvcrRef>B1</AcctSvcrRef>, '', B1, B1#2", "'', </NtryDtls></Ntry>%s<NtryDtls>, '', #2"})
    void two_items_with_one_id_are_two_bookings(String reference, String between, String first, String second) throws Exception {
        String entry = """
                <Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt>""";
        String item = "<TxDtls><Refs><EndToEndId>k1</EndToEndId></Refs><Amt Ccy=\"EUR\">10.00</Amt></TxDtls>";
        read(CAMT.formatted(entry + reference + "<NtryDtls>" + item + between.formatted(entry) + item + "</NtryDtls></Ntry>"));
        assertThat(lines).extracting(Line::reference).containsExactly(first, second);
    }

    @Test
    void an_entry_without_items_is_a_line_without_an_id_and_an_announced_one_is_none() throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><AcctSvcrRef>FEE</AcctSvcrRef></Ntry>
                <Ntry><Amt Ccy="EUR">6.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts></Ntry>"""));
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.endToEndId()).isEmpty();
            assertThat(line.credit()).contains(false);
        });
    }

    @Test
    void a_return_has_its_reason() throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls>
                 <Refs><EndToEndId>k1</EndToEndId></Refs><RtrInf><Rsn><Cd>MD06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>"""));
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.kind()).isEqualTo("returned");
            assertThat(line.code()).isEqualTo("MD06");
        });
    }

    /** Banks take their own fee together with a return, and each says in its own way how much of it is the fee. */
    @ParameterizedTest
    @ValueSource(strings = {
        "<AmtDtls><InstdAmt><Amt Ccy=\"EUR\">10.00</Amt></InstdAmt></AmtDtls>",
        "<AmtDtls><TxAmt><Amt Ccy=\"EUR\">10.00</Amt></TxAmt></AmtDtls>",
        "<Amt Ccy=\"EUR\">13.50</Amt><AmtDtls><InstdAmt><Amt Ccy=\"EUR\">10.00</Amt></InstdAmt></AmtDtls>",
        "<AmtDtls><InstdAmt><Amt Ccy=\"EUR\">10.00</Amt></InstdAmt><TxAmt><Amt Ccy=\"EUR\">13.50</Amt></TxAmt></AmtDtls>",
        "<Amt Ccy=\"EUR\">13.50</Amt><Chrgs><TtlChrgsAndTaxAmt Ccy=\"EUR\">3.50</TtlChrgsAndTaxAmt></Chrgs>",
        "<Chrgs><Amt Ccy=\"EUR\">3.50</Amt></Chrgs>",
        "<Chrgs><Rcrd><Amt Ccy=\"EUR\">3.50</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>"})
    void a_return_is_of_what_was_collected_whatever_fee_the_bank_takes_with_it(String said) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">13.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls>
                 <Refs><EndToEndId>k1</EndToEndId></Refs>%s<RtrInf><Rsn><Cd>MD06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>"""
                .formatted(said)));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.amount()).contains(1_000L));
    }

    /** The fee of an entry is in the entry's amount, and not in that of its item. */
    @ParameterizedTest
    @ValueSource(strings = {"<TtlChrgsAndTaxAmt Ccy=\"EUR\">3.50</TtlChrgsAndTaxAmt>", "<Rcrd><Amt Ccy=\"EUR\">3.50</Amt></Rcrd>"})
    void the_fee_of_an_entry_is_not_taken_from_an_item_with_its_own_amount(String fee) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">13.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><Chrgs>%s</Chrgs><NtryDtls><TxDtls>
                 <Refs><EndToEndId>k1</EndToEndId></Refs><Amt Ccy="EUR">10.00</Amt><RtrInf><Rsn><Cd>MD06</Cd></Rsn></RtrInf>
                </TxDtls></NtryDtls></Ntry>""".formatted(fee)));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.amount()).contains(1_000L));
    }

    @Test
    void a_fee_that_an_entry_does_not_include_is_not_taken_from_it() throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
                 <Chrgs><Rcrd><Amt Ccy="EUR">3.50</Amt><ChrgInclInd>false</ChrgInclInd></Rcrd></Chrgs><NtryDtls><TxDtls>
                 <Refs><EndToEndId>k1</EndToEndId></Refs><RtrInf><Rsn><Cd>MD06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>"""));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.amount()).contains(1_000L));
    }

    /** A stranger paid in another currency. Its smallest unit is none of ours, and must not set the day's bookings aside. */
    @ParameterizedTest
    @ValueSource(strings = {"<InstdAmt><Amt Ccy=\"KWD\">1.234</Amt></InstdAmt>", "<InstdAmt><Amt Ccy=\"JPY\">700</Amt></InstdAmt>",
        "<TxAmt><Amt Ccy=\"TND\">10.125</Amt></TxAmt>"})
    void what_is_said_in_another_currency_is_not_what_was_booked(String said) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">3.70</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls>
                 <Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><AmtDtls>%s</AmtDtls></TxDtls></NtryDtls></Ntry>""".formatted(said)));
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.amount()).contains(370L);
            assertThat(line.currency()).contains("EUR");
        });
    }

    @Test
    void a_status_of_the_banks_own_is_no_booking_that_can_be_read() {
        assertThatThrownBy(() -> read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">6.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Prtry>PDNG</Prtry></Sts></Ntry>""")))
                .isInstanceOf(BankMessage.Unreadable.class).hasMessageContaining("status");
    }

    /** What is no whole part of it may be another payment's: a person looks. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<AmtDtls><InstdAmt><Amt Ccy=\"EUR\">20.00</Amt></InstdAmt></AmtDtls><Amt Ccy=\"EUR\">13.50</Amt>",
        "<Amt Ccy=\"EUR\">13.50</Amt><AmtDtls><InstdAmt><Amt Ccy=\"USD\">10.00</Amt></InstdAmt></AmtDtls>",
        "<Chrgs><Rcrd><Amt Ccy=\"EUR\">3.50</Amt><ChrgInclInd>false</ChrgInclInd></Rcrd></Chrgs>"})
    void a_return_that_does_not_say_what_was_collected_is_of_what_was_taken(String said) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">13.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls>
                 <Refs><EndToEndId>k1</EndToEndId></Refs>%s<RtrInf><Rsn><Cd>MD06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>"""
                .formatted(said)));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.amount()).contains(1_350L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "1"})
    void an_entry_that_takes_back_another_is_a_return(String indicator) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>%s</RvslInd><Sts><Cd>BOOK</Cd></Sts></Ntry>"""
                .formatted(indicator)));
        assertThat(lines).singleElement().satisfies(line -> assertThat(line.kind()).isEqualTo("returned"));
    }

    /** A closing of the account that cost nothing must not set the day's bookings aside. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "0.00"})
    void an_entry_without_money_is_none(String amount) throws Exception {
        read(CAMT.formatted("""
                <Ntry><Amt Ccy="EUR">%s</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts></Ntry>""".formatted(amount)));
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no xml", "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.008.001.08\"/>", "<Document/>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>"
                + "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.054.001.02\">&e;</Document>",
        "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\"><!ENTITY y \"&x;&x;&x;&x;\">]><a>&y;</a>",
        "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.054.001.02\"><a></Document>",
        "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.054.001.02\"></Document>"})
    void what_is_no_message_is_unreadable(String xml) {
        assertThatThrownBy(() -> read(xml)).isInstanceOf(BankMessage.Unreadable.class).hasMessageNotContaining("passwd");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1.00", "1.001", "abc", "99999999999.00", ""})
    void an_amount_that_is_none_makes_the_file_unreadable(String amount) {
        assertThatThrownBy(
                () -> read(CAMT.formatted("<Ntry><Amt Ccy=\"EUR\">%s</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry>".formatted(amount))))
                .isInstanceOf(BankMessage.Unreadable.class);
    }

    @Test
    void depth_and_length_are_bounded() {
        assertThatThrownBy(() -> read(CAMT.formatted("<a>".repeat(50) + "</a>".repeat(50)))).hasMessageContaining("nested too deep");
        assertThatThrownBy(() -> read(CAMT.formatted("<a>" + "x".repeat(20_000) + "</a>"))).hasMessageContaining("too long");
        String many = IntStream.range(0, 6_000).mapToObj("<a%1$s>x</a%1$s>"::formatted).collect(Collectors.joining());
        assertThatThrownBy(() -> read(CAMT.formatted(many))).hasMessageContaining("too many");
        assertThatThrownBy(() -> read(CAMT.formatted("<Ntry>" + many + "</Ntry>"))).hasMessageContaining("too many");
    }
}
