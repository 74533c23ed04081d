// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import io.chargeonce.bank.xml.BankMessage.FileStatus;
import io.chargeonce.bank.xml.BankMessage.Line;
import io.chargeonce.bank.xml.BankMessage.Lines;
import io.chargeonce.bank.xml.BankMessage.Unreadable;
import io.chargeonce.payment.DuplicateCodes;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads what a bank sends, item by item, and keeps of each only its ids. A document type, an entity, a text or a depth
 * beyond all measure makes a file unreadable. For one file and one thread.
 */
public final class BankMessageReader {

    private static final int DEEPEST = 40;
    private static final int LONGEST_TEXT = 10_000;
    private static final int MOST_LINES = 500_000;
    /** Of one entry or item, or of the message without them; a bank says some hundreds. */
    private static final int MOST_TEXTS = 5_000;
    private static final XMLInputFactory XML = factory();

    private final Lines lines;
    private final Deque<String> path = new ArrayDeque<>();
    /** The texts of the element that is read now, by its path below its group, entry or item. */
    private final Map<String, String> whole = new HashMap<>();
    private final Map<String, String> entry = new HashMap<>();
    private final Map<String, String> item = new HashMap<>();
    /** How often the message has told of one key under one reference; of all that is kept, only this grows with its items. */
    private final Map<String, Integer> told = new HashMap<>();
    private final StringBuilder text = new StringBuilder();
    private String message = "";
    private int count;
    private int itemsOfEntry;

    private BankMessageReader(Lines lines) {
        this.lines = lines;
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        return factory;
    }

    /**
     * @param lines gets each line while the file is read; what it got counts only if this returns
     * @throws Unreadable if it is no such message, or is wrong in itself
     */
    public static BankMessage read(InputStream file, Lines lines) throws Unreadable {
        try {
            return new BankMessageReader(lines).read(XML.createXMLStreamReader(file));
        } catch (XMLStreamException notXml) {
            throw new Unreadable("it is no well-formed XML, or is cut off");
        }
    }

    private BankMessage read(XMLStreamReader xml) throws XMLStreamException, Unreadable {
        while (xml.hasNext()) {
            switch (xml.next()) {
                case XMLStreamConstants.START_ELEMENT -> begin(xml);
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> append(xml);
                case XMLStreamConstants.END_ELEMENT -> end(xml.getLocalName());
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
                    throw new Unreadable("it has a document type or an entity");
                default -> {
                }
            }
        }
        String id = whole.getOrDefault("GrpHdr/MsgId", "");
        if (id.isEmpty() || id.length() > 100) {
            throw new Unreadable("it has no message id");
        }
        return new BankMessage(message, id, message.equals("pain.002") ? Optional.of(status()) : Optional.empty());
    }

    private FileStatus status() throws Unreadable {
        String original = whole.getOrDefault("OrgnlGrpInfAndSts/OrgnlMsgId", "");
        if (original.isEmpty()) {
            throw new Unreadable("it does not say which file it answers");
        }
        // Each of our files has one block of payments, so its status is the file's.
        String group = groupStatus();
        if (group.isEmpty() && count == 0) {
            throw new Unreadable("it has neither a status for the file nor for an item");
        }
        return new FileStatus(original, group.isEmpty() ? "PART" : group, groupReason());
    }

    /** What rejects the one block of a file rejects the file, also if the group is called accepted in part. */
    private String groupStatus() {
        String block = whole.getOrDefault("OrgnlPmtInfAndSts/PmtInfSts", "");
        return block.equals("RJCT") ? block : whole.getOrDefault("OrgnlGrpInfAndSts/GrpSts", block);
    }

    private String groupReason() {
        return first(whole, "OrgnlGrpInfAndSts/StsRsnInf/Rsn/Cd", "OrgnlGrpInfAndSts/StsRsnInf/Rsn/Prtry",
                "OrgnlPmtInfAndSts/StsRsnInf/Rsn/Cd", "OrgnlPmtInfAndSts/StsRsnInf/Rsn/Prtry");
    }

    private void begin(XMLStreamReader xml) throws Unreadable {
        String name = xml.getLocalName();
        if (path.isEmpty()) {
            message = message(String.valueOf(xml.getNamespaceURI()));
        }
        if (path.size() >= DEEPEST) {
            throw new Unreadable("its elements are nested too deep");
        }
        String currency = xml.getAttributeValue(null, "Ccy");
        if (currency != null) {
            put(name + "@Ccy", currency);
        }
        path.addLast(name);
        text.setLength(0);
        if (name.equals("Ntry")) {
            entry.clear();
            itemsOfEntry = 0;
        }
        if (name.equals("TxDtls") || name.equals("TxInfAndSts")) {
            item.clear();
        }
    }

    private static String message(String namespace) throws Unreadable {
        String type = namespace.substring(namespace.lastIndexOf(':') + 1);
        String known = type.length() < 8 ? "" : type.substring(0, 8);
        if (!known.equals("pain.002") && !known.equals("camt.053") && !known.equals("camt.054")) {
            throw new Unreadable("it is no pain.002, camt.053 or camt.054");
        }
        return known;
    }

    private void append(XMLStreamReader xml) throws Unreadable {
        if (text.length() + xml.getTextLength() > LONGEST_TEXT) {
            throw new Unreadable("one of its texts is too long");
        }
        text.append(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
    }

    private void end(String name) throws Unreadable {
        String value = text.toString().strip();
        path.removeLast();
        if (!value.isEmpty()) {
            put(name, value);
        }
        text.setLength(0);
        switch (name) {
            case "TxInfAndSts" -> status(item);
            case "TxDtls" -> {
                itemsOfEntry++;
                money(item);
            }
            case "Ntry" -> {
                if (itemsOfEntry == 0) {
                    money(Map.of());
                }
            }
            default -> {
            }
        }
    }

    /** Under the path below the innermost item, entry, or part of the message. The first text counts where there are several. */
    private void put(String leaf, String value) throws Unreadable {
        boolean inItem = false;
        boolean inEntry = false;
        int depth = 0;
        var below = new StringBuilder();
        for (String step : path) {
            depth++;
            if (step.equals("TxDtls") || step.equals("TxInfAndSts")) {
                inItem = true;
                below.setLength(0);
            } else if (step.equals("Ntry")) {
                inEntry = true;
                below.setLength(0);
            } else if (depth > 2) {
                below.append(step).append('/');
            }
        }
        Map<String, String> said = inItem ? item : inEntry ? entry : whole;
        said.putIfAbsent(below + leaf, value);
        if (said.size() > MOST_TEXTS) {
            throw new Unreadable("one of its parts says too many things");
        }
    }

    /**
     * Only a rejection says something about an item: that it is accepted is no money yet. What the message says about the whole file stands
     * before its items: if the file is there already, so are they.
     */
    private void status(Map<String, String> said) throws Unreadable {
        boolean isThereAlready = groupStatus().equals("RJCT") && DuplicateCodes.isThereAlready(groupReason());
        if (said.getOrDefault("TxSts", "").equals("RJCT") && !isThereAlready) {
            String own = first(said, "StsRsnInf/Rsn/Cd", "StsRsnInf/Rsn/Prtry");
            add(new Line("rejected", said.getOrDefault("OrgnlEndToEndId", ""), Optional.empty(), Optional.empty(), Optional.empty(),
                    own.isEmpty() ? groupReason() : own, said.getOrDefault("AcctSvcrRef", ""), Optional.empty()));
        } else {
            count++;
        }
    }

    private void money(Map<String, String> detail) throws Unreadable {
        String status = first(entry, "Sts/Cd", "Sts");
        if (status.isEmpty() && entry.containsKey("Sts/Prtry")) {
            throw new Unreadable("an entry has a status of the bank's own, so nobody here knows whether it is booked");
        }
        if (!status.isEmpty() && !status.equals("BOOK")) {
            // It is only announced.
            return;
        }
        String direction = detail.getOrDefault("CdtDbtInd", entry.getOrDefault("CdtDbtInd", ""));
        boolean returned = detail.keySet().stream().anyMatch(key -> key.startsWith("RtrInf/")) || isTrue(entry.getOrDefault("RvslInd", ""));
        Stated stated = stated(detail, returned);
        if (stated.isNothing()) {
            return;
        }
        if (!direction.equals("CRDT") && !direction.equals("DBIT") || !stated.currency.matches("[A-Z]{3}")) {
            throw new Unreadable("a booking does not say which way its money went, or in which currency");
        }
        String key = detail.getOrDefault("Refs/EndToEndId", "");
        String reference = first(detail, "Refs/AcctSvcrRef");
        add(new Line(returned ? "returned" : "booked", key, Optional.of(BankMessage.minorUnits(stated.amount, stated.currency)),
                Optional.of(stated.currency), Optional.of(direction.equals("CRDT")),
                returned ? first(detail, "RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry") : "",
                ownReference(key, returned, reference.isEmpty() ? entry.getOrDefault("AcctSvcrRef", "") : reference),
                BankMessage.date(first(entry, "BookgDt/Dt", "BookgDt/DtTm"))));
    }

    /**
     * A message tells of each booking once. So two items with the same EndToEndId and the same reference, which may be their entry's, or
     * none, are two bookings. The first keeps the reference; the second gets one that every message with both of them gives it.
     */
    private String ownReference(String key, boolean returned, String reference) {
        if (key.isEmpty()) {
            return reference;
        }
        int times = told.merge(returned + key + ' ' + reference, 1, Integer::sum);
        return times == 1 ? reference : "%s#%d".formatted(reference, times);
    }

    /** An amount as the message writes it. */
    private record Stated(String amount, String currency) {

        /** No money moved, as with a closing of an account that cost nothing. */
        boolean isNothing() {
            return amount.matches("0+(\\.0+)?");
        }

        boolean isNumber() {
            return amount.matches("\\d{1,15}(\\.\\d{1,5})?");
        }
    }

    /**
     * What an item is about. A bank may take its own fee together with a return. Then it also says what was collected once, or how much the
     * fee is; what it took in all is no amount of ours.
     */
    private Stated stated(Map<String, String> detail, boolean returned) {
        Stated all = said(entry, "Amt");
        Stated own = said(detail, "Amt", "AmtDtls/TxAmt/Amt");
        Stated instructed = said(detail, "AmtDtls/InstdAmt/Amt");
        // What is said in another currency is not what moved here.
        Stated total = own.currency.equals(all.currency) ? own : instructed.currency.equals(all.currency) ? instructed : all;
        if (!returned) {
            return total;
        }
        Stated collected = said(detail, "AmtDtls/InstdAmt/Amt", "AmtDtls/TxAmt/Amt");
        if (isWithin(collected, total)) {
            return collected;
        }
        Map<String, String> charged = fee(detail).amount.isEmpty() && isWithin(total, all) && isWithin(all, total) ? entry : detail;
        Stated fee = fee(charged);
        return isWithin(fee, total) && !fee.isNothing() && !isFalse(first(charged, "Chrgs/Rcrd/ChrgInclInd"))
                ? new Stated(new BigDecimal(total.amount).subtract(new BigDecimal(fee.amount)).toPlainString(), total.currency)
                : total;
    }

    /** In versions from 3 on, and in version 2. */
    private static Stated fee(Map<String, String> said) {
        return said(said, "Chrgs/TtlChrgsAndTaxAmt", "Chrgs/Rcrd/Amt", "Chrgs/Amt");
    }

    /** More than it took in all is no part of it. */
    private static boolean isWithin(Stated part, Stated total) {
        return part.isNumber() && total.isNumber() && part.currency.equals(total.currency)
                && new BigDecimal(part.amount).compareTo(new BigDecimal(total.amount)) <= 0;
    }

    private static Stated said(Map<String, String> said, String... keys) {
        return new Stated(first(said, keys), first(said, Arrays.stream(keys).map(key -> key + "@Ccy").toArray(String[]::new)));
    }

    /** As XML writes it. */
    private static boolean isTrue(String text) {
        return text.toLowerCase(Locale.ROOT).equals("true") || text.equals("1");
    }

    private static boolean isFalse(String text) {
        return text.toLowerCase(Locale.ROOT).equals("false") || text.equals("0");
    }

    private void add(Line line) throws Unreadable {
        if (++count > MOST_LINES) {
            throw new Unreadable("it has more than %d lines".formatted(MOST_LINES));
        }
        if (line.endToEndId().length() > 100 || line.code().length() > 35 || line.reference().length() > 100) {
            throw new Unreadable("an id, a code or a reference is too long");
        }
        lines.add(line);
    }

    private static String first(Map<String, String> said, String... keys) {
        for (String key : keys) {
            if (said.containsKey(key)) {
                return said.get(key);
            }
        }
        return "";
    }
}
