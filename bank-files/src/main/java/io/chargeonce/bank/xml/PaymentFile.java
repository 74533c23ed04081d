// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import io.chargeonce.text.Cut;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.text.Normalizer;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a file for a bank: item by item, so that its memory does not grow with them. The same head and items give the same bytes. For one
 * thread; {@link #end} closes the document.
 */
public final class PaymentFile {

    /** What a file moves, and which way. */
    public enum Kind {
        /** pain.008.001.08: direct debits, SEPA core. */
        DEBIT("debit", "urn:iso:std:iso:20022:tech:xsd:pain.008.001.08", "CstmrDrctDbtInitn"),
        /** pain.001.001.09: credit transfers, for refunds. */
        CREDIT("credit", "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09", "CstmrCdtTrfInitn");

        private final String tag;
        private final String namespace;
        private final String root;

        Kind(String tag, String namespace, String root) {
            this.tag = tag;
            this.namespace = namespace;
            this.root = root;
        }

        public String tag() {
            return tag;
        }
    }

    private static final XMLOutputFactory XML = XMLOutputFactory.newFactory();
    private static final int DECIMALS = 2;
    private static final int LONGEST_NAME = 70;
    private static final int LONGEST_REMITTANCE = 140;

    private final Kind kind;
    private final FileHead head;
    private final XMLStreamWriter out;
    private int items;
    private long total;

    private PaymentFile(Kind kind, FileHead head, XMLStreamWriter out) {
        this.kind = kind;
        this.head = head;
        this.out = out;
    }

    /** Writes the head. */
    public static PaymentFile begin(Kind kind, FileHead head, OutputStream to) throws XMLStreamException {
        var file = new PaymentFile(kind, head, XML.createXMLStreamWriter(to, "UTF-8"));
        file.head();
        return file;
    }

    private void head() throws XMLStreamException {
        out.writeStartDocument("UTF-8", "1.0");
        out.writeStartElement("Document");
        out.writeDefaultNamespace(kind.namespace);
        open(kind.root, "GrpHdr");
        text("MsgId", head.messageId());
        text("CreDtTm", DateTimeFormatter.ISO_INSTANT.format(head.createdAt().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC)));
        sums();
        open("InitgPty");
        text("Nm", plain(head.creditor().name(), LONGEST_NAME));
        close(2);
        open("PmtInf");
        text("PmtInfId", head.messageId());
        text("PmtMtd", kind == Kind.DEBIT ? "DD" : "TRF");
        text("BtchBookg", "false");
        sums();
        switch (kind) {
            case DEBIT -> debitHead();
            case CREDIT -> creditHead();
        }
    }

    private void debitHead() throws XMLStreamException {
        open("PmtTpInf", "SvcLvl");
        text("Cd", "SEPA");
        close(1);
        open("LclInstrm");
        text("Cd", "CORE");
        close(1);
        text("SeqTp", "RCUR");
        close(1);
        text("ReqdColltnDt", head.dueOn().toString());
        us("Cdtr", "CdtrAcct", "CdtrAgt");
        text("ChrgBr", "SLEV");
        open("CdtrSchmeId", "Id", "PrvtId", "Othr");
        text("Id", head.creditor().schemeId());
        open("SchmeNm");
        text("Prtry", "SEPA");
        close(5);
    }

    private void creditHead() throws XMLStreamException {
        open("PmtTpInf", "SvcLvl");
        text("Cd", "SEPA");
        close(2);
        open("ReqdExctnDt");
        text("Dt", head.dueOn().toString());
        close(1);
        us("Dbtr", "DbtrAcct", "DbtrAgt");
        text("ChrgBr", "SLEV");
    }

    private void us(String party, String account, String agent) throws XMLStreamException {
        open(party);
        text("Nm", plain(head.creditor().name(), LONGEST_NAME));
        close(1);
        account(account, head.creditor().iban());
        agent(agent, Optional.of(head.creditor().bic()));
    }

    /** Writes one item. */
    public void add(FileItem item) throws XMLStreamException {
        switch (kind) {
            case DEBIT -> debit(item);
            case CREDIT -> credit(item);
        }
        items++;
        total = Math.addExact(total, item.amount());
    }

    private void debit(FileItem item) throws XMLStreamException {
        open("DrctDbtTxInf", "PmtId");
        text("InstrId", id(item.instruction()));
        text("EndToEndId", item.endToEndId());
        close(1);
        amount(item);
        open("DrctDbtTx", "MndtRltdInf");
        text("MndtId", id(item.mandate()));
        text("DtOfSgntr", item.signedOn().toString());
        close(2);
        agent("DbtrAgt", item.debtor().bic().or(() -> Optional.of("")));
        open("Dbtr");
        text("Nm", plain(item.debtor().name(), LONGEST_NAME));
        close(1);
        account("DbtrAcct", item.debtor().iban());
        remittance(item);
        close(1);
    }

    private void credit(FileItem item) throws XMLStreamException {
        open("CdtTrfTxInf", "PmtId");
        text("InstrId", id(item.instruction()));
        text("EndToEndId", item.endToEndId());
        close(1);
        open("Amt");
        amount(item);
        close(1);
        if (item.debtor().bic().isPresent()) {
            agent("CdtrAgt", item.debtor().bic());
        }
        open("Cdtr");
        text("Nm", plain(item.debtor().name(), LONGEST_NAME));
        close(1);
        account("CdtrAcct", item.debtor().iban());
        remittance(item);
        close(1);
    }

    /**
     * Ends the document.
     *
     * @throws IllegalStateException if the items are not those that the head counts
     */
    public void end() throws XMLStreamException {
        if (items != head.items() || total != head.total()) {
            throw new IllegalStateException(
                    "Bug! File %s has %d items of %d, but its head says %d of %d".formatted(head.messageId(), items, total,
                            head.items(), head.total()));
        }
        close(3);
        out.writeEndDocument();
        out.flush();
        out.close();
    }

    private void sums() throws XMLStreamException {
        text("NbOfTxs", Integer.toString(head.items()));
        text("CtrlSum", decimal(head.total()));
    }

    private void amount(FileItem item) throws XMLStreamException {
        out.writeStartElement("InstdAmt");
        out.writeAttribute("Ccy", item.currency());
        out.writeCharacters(decimal(item.amount()));
        out.writeEndElement();
    }

    private void account(String name, String iban) throws XMLStreamException {
        open(name, "Id");
        text("IBAN", iban);
        close(2);
    }

    /** An agent without a BIC is written as the SEPA rulebooks say. */
    private void agent(String name, Optional<String> bic) throws XMLStreamException {
        open(name, "FinInstnId");
        if (bic.filter(code -> !code.isEmpty()).isPresent()) {
            text("BICFI", bic.get());
        } else {
            open("Othr");
            text("Id", "NOTPROVIDED");
            close(1);
        }
        close(2);
    }

    private void remittance(FileItem item) throws XMLStreamException {
        open("RmtInf");
        text("Ustrd", plain(item.remittance(), LONGEST_REMITTANCE));
        close(1);
    }

    private void open(String... names) throws XMLStreamException {
        for (String name : names) {
            out.writeStartElement(name);
        }
    }

    private void close(int many) throws XMLStreamException {
        for (int i = 0; i < many; i++) {
            out.writeEndElement();
        }
    }

    private void text(String name, String value) throws XMLStreamException {
        out.writeStartElement(name);
        out.writeCharacters(value);
        out.writeEndElement();
    }

    private static String decimal(long minorUnits) {
        return BigDecimal.valueOf(minorUnits, DECIMALS).toPlainString();
    }

    /** SEPA's characters for ids have no underscore, which is the only other one in ours. */
    static String id(String ours) {
        return ours.replace('_', '-');
    }

    /**
     * The characters that every bank of SEPA takes. Letters lose their accents, and what is left becomes a dot. One letter may become
     * several, and a bank refuses the whole file for one text that is too long, so it is cut.
     */
    static String plain(String text, int most) {
        String letters = Normalizer
                .normalize(text.replace("ß", "ss").replace("ẞ", "SS").replace('’', '\'').replace('\u00a0', ' '), Normalizer.Form.NFD)
                .replaceAll("\\p{M}", "");
        String plain = Normalizer.normalize(letters, Normalizer.Form.NFC).replaceAll("[^A-Za-z0-9/?:().,'+ -]", ".").strip();
        return Cut.before(plain, Math.min(plain.length(), most)).strip().replaceAll("^$", ".");
    }
}
