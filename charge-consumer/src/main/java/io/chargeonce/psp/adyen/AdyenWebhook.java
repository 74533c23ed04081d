// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.notification.NotificationRequest;
import com.adyen.model.notification.NotificationRequestItem;
import com.adyen.util.HMACValidator;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.Webhook;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SignatureException;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Adyen's standard webhooks. Adyen cannot be asked about a payment or a refund, so a signed message is itself the evidence; it must have
 * our key, amount, currency and account. Its signature contains no time and Adyen repeats for days, so repeats are recognised by their id
 * alone.
 */
final class AdyenWebhook implements Webhook {

    private static final String SIGNATURE = "hmacSignature";
    /** We request none of these. */
    private static final Set<String> CANCELLATIONS = Set.of("CANCELLATION", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND", "EXPIRE");

    private final String merchantAccount;
    private final Supplier<String> hmacKey;
    private final HMACValidator validator = new HMACValidator();

    /** @param hmacKey in hexadecimal, as the Customer Area shows it; read for each message */
    AdyenWebhook(String merchantAccount, Supplier<String> hmacKey) {
        this.merchantAccount = merchantAccount;
        this.hmacKey = hmacKey;
    }

    @Override
    public Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body) {
        Optional<List<NotificationRequestItem>> items = items(body);
        return items.filter(all -> all.stream().allMatch(this::isSigned))
                .map(all -> all.stream().flatMap(item -> notice(item).stream()).toList());
    }

    private static Optional<List<NotificationRequestItem>> items(byte[] body) {
        try {
            var request = NotificationRequest.fromJson(new String(body, StandardCharsets.UTF_8));
            return Optional.ofNullable(request).map(NotificationRequest::getNotificationItems).filter(items -> !items.isEmpty());
        } catch (IOException | RuntimeException unreadable) {
            return Optional.empty();
        }
    }

    private boolean isSigned(NotificationRequestItem item) {
        String signature = item.getAdditionalData() == null ? null : item.getAdditionalData().get(SIGNATURE);
        if (signature == null || item.getAmount() == null) {
            return false;
        }
        try {
            return MessageDigest.isEqual(validator.calculateHMAC(item, hmacKey.get()).getBytes(StandardCharsets.UTF_8),
                    signature.getBytes(StandardCharsets.UTF_8));
        } catch (SignatureException | RuntimeException cannotBeSigned) {
            return false;
        }
    }

    private Optional<Notice> notice(NotificationRequestItem item) {
        String account = String.valueOf(item.getMerchantAccountCode());
        return said(item).flatMap(said -> PspKey.parse(item.getMerchantReference()).map(key -> new Notice(
                "%s:%s:%s%s".formatted(item.getEventCode(), item.getPspReference(), item.isSuccess(), stage(said, item)), key,
                Optional.of(item.getPspReference()), Optional.of(said),
                Optional.of(account).filter(other -> !other.equals(merchantAccount)))));
    }

    /** A dispute may say the same again in a later stage. To record one twice changes nothing. */
    private static String stage(Notice.Said said, NotificationRequestItem item) {
        return said instanceof Notice.Disputed && item.getEventDate() != null ? ":" + item.getEventDate().toInstant() : "";
    }

    /** Empty for a message that is not about money that we requested. */
    private static Optional<Notice.Said> said(NotificationRequestItem item) {
        Optional<Money> money = MinorUnits.from(item.getAmount().getValue(), item.getAmount().getCurrency());
        String reason = Optional.ofNullable(item.getReason()).orElse("");
        Optional<Instant> at = Optional.ofNullable(item.getEventDate()).map(Date::toInstant);
        return switch (item.getEventCode()) {
            case "AUTHORISATION" ->
                Optional.of(new Notice.Ended(money, false, item.isSuccess() ? new Outcome.Charged(item.getPspReference())
                        : new Outcome.Declined(RefusalReasons.declineCodeOf(reason), "Adyen's webhook says: " + reason,
                                Optional.of(item.getPspReference()), RefusalReasons.advice(item.getAdditionalData()))));
            case "REFUND" -> Optional.of(new Notice.Ended(money, true,
                    item.isSuccess() ? new Outcome.Charged(item.getPspReference()) : notRefunded(reason)));
            case "REFUND_FAILED", "REFUNDED_REVERSED" -> Optional.of(new Notice.Ended(money, true, notRefunded(reason)));
            case "CAPTURE_FAILED" -> Optional.of(new Notice.CaptureFailed(money, at, reason));
            case "CAPTURE" ->
                Optional.of(item.isSuccess() ? new Notice.CapturedAgain(money, at) : new Notice.CaptureFailed(money, at, reason));
            default -> AdyenDisputes.isOne(item.getEventCode()) ? Optional.of(new Notice.Disputed(AdyenDisputes.report(item, money)))
                    : CANCELLATIONS.contains(item.getEventCode()) && item.isSuccess()
                            ? Optional.of(new Notice.TakenBack(money, item.getEventCode(), reason)) : Optional.empty();
        };
    }

    private static Outcome notRefunded(String reason) {
        return new Outcome.Failed(FailureCause.REFUND_FAILED, "Adyen did not refund: " + reason);
    }
}
