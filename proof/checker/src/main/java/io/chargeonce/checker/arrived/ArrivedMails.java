// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.arrived;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Findings;
import io.chargeonce.checker.finding.Invariant;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the mails that came to customers with the successes that they are about, and with the rows of receipts. For one thread. */
public final class ArrivedMails {

    private static final Pattern PAYMENT = Pattern.compile("\\bpay_[0-9A-Za-z]+");

    private record Success(String operation, Instant acceptedAt, long amount, String currency) {

        /** Whether the text has this amount, and not only as a part of another number or word. */
        boolean isIn(String text) {
            String figures =
                    BigDecimal.valueOf(amount, Math.max(Currency.getInstance(currency).getDefaultFractionDigits(), 0)).toPlainString();
            return Pattern.compile("(?<![0-9A-Za-z_]|[0-9][.])" + Pattern.quote(figures) + "(?![0-9A-Za-z_]|[.][0-9])")
                    .matcher(text.replace(",", "")).find();
        }
    }

    private record Receipt(String operation, String state, int attempts, long fence, boolean erased) {}

    private final Findings findings;
    private final ArrivalEvidence arrivals;
    private final boolean atRest;
    private final List<ArrivalEvidence.Mail> before;
    private final Map<String, List<Success>> successes = new HashMap<>();
    private final Map<String, Receipt> receipts = new HashMap<>();

    /**
     * Before the rows are read: they know all that has come until now.
     *
     * @param atRest whether nothing may be under way any more
     */
    public ArrivedMails(Findings findings, ArrivalEvidence arrivals, boolean atRest) {
        this.findings = findings;
        this.arrivals = arrivals;
        this.atRest = atRest;
        this.before = List.copyOf(arrivals.mails());
    }

    /** By what their receipts are named after; a refund that failed after its success may have both. */
    private static final String SUCCESSES = """
            SELECT its.operation_id, its.accepted_at, its.payment_id, its.amount, its.currency
              FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
             WHERE its.state IN ('succeeded', 'failed') AND its.kind IN ('charge', 'refund') AND charge.receipt_email IS NOT NULL
             UNION ALL
            SELECT its.operation_id || '/failed', its.accepted_at, its.payment_id, its.amount, its.currency
              FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
             WHERE its.state = 'failed' AND its.kind = 'refund' AND charge.receipt_email IS NOT NULL
            """;
    private static final String RECEIPTS = """
            SELECT receipt_id, receipt.operation_id, receipt.state, attempts, fence,
                   coalesce(receipt_email = '[erased]', true) AS erased
              FROM receipt LEFT JOIN operation AS charge ON charge.operation_id = receipt.payment_id
            """;

    public void read(DatabaseRows rows) {
        rows.each(SUCCESSES, row -> successes.computeIfAbsent(row.getString("payment_id"), unseen -> new ArrayList<>())
                .add(new Success(row.getString("operation_id"), row.getObject("accepted_at", OffsetDateTime.class).toInstant(),
                        row.getLong("amount"), row.getString("currency").strip())));
        rows.each(RECEIPTS, row -> receipts.put(row.getString("receipt_id"), new Receipt(row.getString("operation_id"),
                row.getString("state"), row.getInt("attempts"), row.getLong("fence"), row.getBoolean("erased"))));
    }

    /** After the rows were read: what they call sent has come by now. */
    public void compare() {
        List<ArrivalEvidence.Mail> came = arrivals.mails();
        before.forEach(this::compare);
        var ids = new HashSet<String>();
        came.forEach(mail -> ids.add(mail.id()));
        Map<String, Long> copies = before.stream().collect(Collectors.groupingBy(ArrivalEvidence.Mail::id, Collectors.counting()));
        receipts.forEach((id, receipt) -> {
            compare(id, receipt, ids.contains(id));
            compare(id, receipt, copies.getOrDefault(id, 0L));
        });
    }

    private void compare(ArrivalEvidence.Mail mail) {
        Matcher payment = PAYMENT.matcher(mail.text());
        if (!payment.find()) {
            findings.addGeneral(Invariant.RECEIPTS_AGREE, "mail %s names no payment".formatted(mail.id()));
            return;
        }
        Optional<Success> about = successes.getOrDefault(payment.group(), List.of()).stream()
                .filter(success -> RederivedId.ofReceipt(success.operation, success.acceptedAt, mail.recipient()).equals(mail.id()))
                .findFirst();
        if (about.isEmpty()) {
            found(payment.group(), "mail %s came, and it is not the receipt of a success of this payment for its recipient"
                    .formatted(mail.id()));
        } else if (!about.get().isIn(mail.text())) {
            found(about.get().operation(), "mail %s came with another amount".formatted(mail.id()));
        }
    }

    private void compare(String id, Receipt receipt, boolean came) {
        if (receipt.state.equals("sent") && !came && !receipt.erased) {
            found(receipt.operation, "receipt %s is called sent, and no mail has come under this id".formatted(id));
        }
        if (receipt.state.equals("dead") && receipt.attempts == 0) {
            found(receipt.operation, "receipt %s is dead without a try".formatted(id));
        }
        if (receipt.state.equals("waiting") && atRest) {
            findings.add(Invariant.ALIVE_AFTER_HEAL, receipt.operation, "receipt %s still waits".formatted(id));
        }
    }

    /** A try whose answer was lost is claimed again, and so its mail may come twice. A claim mails once at most, and raises the fence. */
    private void compare(String id, Receipt receipt, long copies) {
        if (copies > receipt.fence) {
            found(receipt.operation, "receipt %s came %d times, and was claimed or resent %d times".formatted(id, copies, receipt.fence));
        }
    }

    private void found(String subject, String sentence) {
        findings.add(Invariant.RECEIPTS_AGREE, subject, sentence);
    }
}
