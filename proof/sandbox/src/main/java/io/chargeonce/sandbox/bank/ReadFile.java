// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

import com.prowidesoftware.swift.model.mx.MxPain00100109;
import com.prowidesoftware.swift.model.mx.MxPain00800108;
import com.prowidesoftware.swift.model.mx.dic.GroupHeader83;
import com.prowidesoftware.swift.model.mx.dic.GroupHeader85;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A file of a customer as Prowide's reader understands it, checked as a bank checks it.
 *
 * @param debit whether it collects money, and otherwise pays it
 */
public record ReadFile(String messageId, boolean debit, String dueOn, List<Item> items) {

    /** Of a file's bytes, in hexadecimal digits. */
    public static String sha256(byte[] file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
        } catch (NoSuchAlgorithmException bug) {
            throw new IllegalStateException("every JDK has SHA-256", bug);
        }
    }

    /** @param mandate of a debit; empty otherwise */
    public record Item(String instruction, String endToEndId, BigDecimal amount, String currency, String mandate, String account) {}

    public ReadFile {
        items = List.copyOf(items);
    }

    /** @throws IllegalArgumentException if it is no such file, or does not add up */
    public static ReadFile of(String xml) {
        if (xml.contains("pain.008.001.08")) {
            return debit(xml);
        }
        if (xml.contains("pain.001.001.09")) {
            return credit(xml);
        }
        throw new IllegalArgumentException("neither a pain.008.001.08 nor a pain.001.001.09");
    }

    private static ReadFile debit(String xml) {
        var message = MxPain00800108.parse(xml).getCstmrDrctDbtInitn();
        GroupHeader83 head = message.getGrpHdr();
        List<Item> items = message.getPmtInf().stream().flatMap(block -> block.getDrctDbtTxInf().stream())
                .map(item -> new Item(ours(item.getPmtId().getInstrId()), item.getPmtId().getEndToEndId(), item.getInstdAmt().getValue(),
                        item.getInstdAmt().getCcy(), ours(item.getDrctDbtTx().getMndtRltdInf().getMndtId()),
                        item.getDbtrAcct().getId().getIBAN()))
                .toList();
        message.getPmtInf().forEach(block -> check(block.getNbOfTxs(), block.getCtrlSum(), items));
        return checked(new ReadFile(head.getMsgId(), true, message.getPmtInf().getFirst().getReqdColltnDt().toString(), items),
                head.getNbOfTxs(),
                head.getCtrlSum());
    }

    private static ReadFile credit(String xml) {
        var message = MxPain00100109.parse(xml).getCstmrCdtTrfInitn();
        GroupHeader85 head = message.getGrpHdr();
        List<Item> items = message.getPmtInf().stream().flatMap(block -> block.getCdtTrfTxInf().stream())
                .map(item -> new Item(ours(item.getPmtId().getInstrId()), item.getPmtId().getEndToEndId(),
                        item.getAmt().getInstdAmt().getValue(), item.getAmt().getInstdAmt().getCcy(), "",
                        item.getCdtrAcct().getId().getIBAN()))
                .toList();
        message.getPmtInf().forEach(block -> check(block.getNbOfTxs(), block.getCtrlSum(), items));
        return checked(new ReadFile(head.getMsgId(), false, message.getPmtInf().getFirst().getReqdExctnDt().getDt().toString(), items),
                head.getNbOfTxs(), head.getCtrlSum());
    }

    /** In a file the customer's ids have a hyphen where its other papers have an underscore. */
    private static String ours(String id) {
        return id.replaceFirst("^(pay|mandate)-", "$1_");
    }

    private static ReadFile checked(ReadFile file, String count, BigDecimal sum) {
        check(count, sum, file.items);
        if (file.items.stream().map(Item::endToEndId).distinct().count() < file.items.size()) {
            throw new IllegalArgumentException("two items have the same EndToEndId");
        }
        return file;
    }

    private static void check(String count, BigDecimal sum, List<Item> items) {
        BigDecimal total = items.stream().map(Item::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
        if (Integer.parseInt(count) != items.size() || total.compareTo(sum) != 0) {
            throw new IllegalArgumentException(
                    "its head says %s items of %s, and it has %d of %s".formatted(count, sum, items.size(), total));
        }
    }
}
