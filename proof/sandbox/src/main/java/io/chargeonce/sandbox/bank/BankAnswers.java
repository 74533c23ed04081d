// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Writes a bank's messages, as text: what the pipeline reads must not come from the pipeline's own writer. */
public final class BankAnswers {

    /**
     * One booking.
     *
     * @param returned the reason of a return; empty for a booking
     * @param fee      what the bank takes for itself with it
     */
    public record Booking(ReadFile.Item item, boolean credit, String reference, String returned, BigDecimal fee) {

        private BigDecimal total() {
            return item.amount().add(fee);
        }
    }

    private BankAnswers() {}

    /**
     * A pain.002.
     *
     * @param original the id of the message that it answers
     * @param group    the state of the whole file, such as ACCP or RJCT
     * @param reason   of the whole file; may be empty
     * @param rejected the items that the bank does not execute, each with its reason
     */
    public static String status(Instant at, String id, String original, String group, String reason, List<ReadFile.Item> rejected,
                                List<String> reasons) {
        var items = new StringBuilder();
        for (int i = 0; i < rejected.size(); i++) {
            items.append("<TxInfAndSts><OrgnlEndToEndId>").append(rejected.get(i).endToEndId())
                    .append("</OrgnlEndToEndId><TxSts>RJCT</TxSts>")
                    .append("<StsRsnInf><Rsn><Cd>").append(reasons.get(i)).append("</Cd></Rsn></StsRsnInf></TxInfAndSts>");
        }
        String why = reason.isEmpty() ? "" : "<StsRsnInf><Rsn><Cd>%s</Cd></Rsn></StsRsnInf>".formatted(reason);
        String block = items.isEmpty() ? ""
                : "<OrgnlPmtInfAndSts><OrgnlPmtInfId>%s</OrgnlPmtInfId>%s</OrgnlPmtInfAndSts>".formatted(original, items);
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
                <GrpHdr><MsgId>%s</MsgId><CreDtTm>%s</CreDtTm></GrpHdr>
                <OrgnlGrpInfAndSts><OrgnlMsgId>%s</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId>
                <GrpSts>%s</GrpSts>%s</OrgnlGrpInfAndSts>
                %s
                </CstmrPmtStsRpt></Document>
                """.formatted(id, at, original, group, why, block);
    }

    /** @param statement as a camt.053, and otherwise as a camt.054 */
    public static String bookings(Instant at, String id, boolean statement, List<Booking> bookings) {
        var entries = new StringBuilder();
        for (Booking one : bookings) {
            entries.append("""
                    <Ntry><Amt Ccy="%1$s">%2$s</Amt><CdtDbtInd>%3$s</CdtDbtInd>%4$s<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>%5$s</Dt></BookgDt>\
                    <AcctSvcrRef>%6$s</AcctSvcrRef><NtryDtls><TxDtls><Refs><AcctSvcrRef>%6$s</AcctSvcrRef>\
                    <EndToEndId>%7$s</EndToEndId></Refs>\
                    <Amt Ccy="%1$s">%2$s</Amt><CdtDbtInd>%3$s</CdtDbtInd>%9$s%8$s</TxDtls></NtryDtls></Ntry>
                    """.formatted(one.item.currency(), one.total().toPlainString(), one.credit ? "CRDT" : "DBIT",
                    one.returned.isEmpty() ? "" : "<RvslInd>true</RvslInd>", LocalDate.ofInstant(at, ZoneOffset.UTC), one.reference,
                    one.item.endToEndId(),
                    one.returned.isEmpty() ? "" : "<RtrInf><Rsn><Cd>%s</Cd></Rsn></RtrInf>".formatted(one.returned),
                    one.fee.signum() == 0 ? "" : """
                            <AmtDtls><InstdAmt><Amt Ccy="%1$s">%2$s</Amt></InstdAmt></AmtDtls>\
                            <Chrgs><TtlChrgsAndTaxAmt Ccy="%1$s">%3$s</TtlChrgsAndTaxAmt></Chrgs>""".formatted(one.item.currency(),
                            one.item.amount().toPlainString(), one.fee.toPlainString())));
        }
        String root = statement ? "BkToCstmrStmt" : "BkToCstmrDbtCdtNtfctn";
        String report = statement ? "Stmt" : "Ntfctn";
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.%s.001.08"><%s>
                <GrpHdr><MsgId>%s</MsgId><CreDtTm>%s</CreDtTm></GrpHdr>
                <%s><Id>%s</Id><CreDtTm>%s</CreDtTm><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>
                %s</%s></%s></Document>
                """.formatted(statement ? "053" : "054", root, id, at, report, id, at, entries, report, root);
    }
}
