// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import io.chargeonce.psp.Webhook;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Adyen's standard webhooks. Adyen cannot be asked about a payment or a refund, so a signed message is itself the evidence; it must have
 * our key, amount, currency and account. Its signature contains no time and Adyen repeats for days, so repeats are recognised by their id
 * alone.
 */
final class AdyenWebhook implements Webhook {

    private static final String SIGNATURE = "hmacSignature";
    private static final String ALGORITHM = "HmacSHA256";
    /** We request none of these. */
    private static final Set<String> CANCELLATIONS = Set.of("CANCELLATION", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND", "EXPIRE");

    private final String merchantAccount;
    private final Supplier<String> hmacKey;

    /** @param hmacKey in hexadecimal, as the Customer Area shows it; read for each message */
    AdyenWebhook(String merchantAccount, Supplier<String> hmacKey) {
        this.merchantAccount = merchantAccount;
        this.hmacKey = hmacKey;
    }

    @Override
    public Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body) {
        Optional<List<AdyenJson.Item>> items = items(body);
        return items.filter(all -> all.stream().allMatch(this::isSigned))
                .map(all -> all.stream().flatMap(item -> notice(item).stream()).toList());
    }

    private static Optional<List<AdyenJson.Item>> items(byte[] body) {
        return AdyenJson.read(new String(body, StandardCharsets.UTF_8), AdyenJson.Notification.class)
                .map(AdyenJson.Notification::notificationItems).filter(items -> !items.isEmpty() && !items.contains(null))
                .map(items -> items.stream().map(AdyenJson.Entry::item).toList());
    }

    private boolean isSigned(AdyenJson.Item item) {
        String signature = item == null || !item.isWhole() ? null : item.additionalData().get(SIGNATURE);
        if (signature == null) {
            return false;
        }
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(HexFormat.of().parseHex(hmacKey.get()), ALGORITHM));
            return MessageDigest.isEqual(Base64.getEncoder().encode(mac.doFinal(item.signed().getBytes(StandardCharsets.UTF_8))),
                    signature.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | RuntimeException cannotBeSigned) {
            return false;
        }
    }

    private Optional<Notice> notice(AdyenJson.Item item) {
        String account = String.valueOf(item.merchantAccountCode());
        return said(item).flatMap(said -> key(said, item).map(key -> new Notice(
                "%s:%s:%s%s".formatted(item.eventCode(), item.pspReference(), item.isSuccess(), stage(said, item)), key,
                Optional.of(item.pspReference()), Optional.of(said),
                Optional.of(account).filter(other -> !other.equals(merchantAccount)))));
    }

    /** Later stages of a dispute may name the payment only by Adyen's own reference. */
    private static Optional<PspKey> key(Notice.Said said, AdyenJson.Item item) {
        String ours = Optional.ofNullable(item.merchantReference()).orElse("");
        return ours.isEmpty() && said instanceof Notice.Disputed disputed
                ? Optional.of(PspKey.standIn(disputed.report().capture().orElse(disputed.report().reference()))) : PspKey.parse(ours);
    }

    /** A dispute may say the same again in a later stage. To record one twice changes nothing. */
    private static String stage(Notice.Said said, AdyenJson.Item item) {
        return said instanceof Notice.Disputed && item.eventDate() != null ? ":" + item.eventDate().toInstant() : "";
    }

    /** Empty for a message that is not about money that we requested. */
    private static Optional<Notice.Said> said(AdyenJson.Item item) {
        Optional<Money> money = MinorUnits.from(item.amount().value(), item.amount().currency());
        String reason = Optional.ofNullable(item.reason()).orElse("");
        Optional<Instant> at = Optional.ofNullable(item.eventDate()).map(OffsetDateTime::toInstant);
        return switch (item.eventCode()) {
            case "AUTHORISATION" ->
                Optional.of(new Notice.Ended(money, false, item.isSuccess() ? new Outcome.Charged(item.pspReference())
                        : new Outcome.Declined(RefusalReasons.declineCodeOf(reason), "Adyen's webhook says: " + reason,
                                Optional.of(item.pspReference()), RefusalReasons.advice(item.additionalData()))));
            case "REFUND" -> Optional.of(new Notice.Ended(money, true,
                    item.isSuccess() ? new Outcome.Charged(item.pspReference()) : notRefunded(reason)));
            case "REFUND_FAILED", "REFUNDED_REVERSED" -> Optional.of(new Notice.Ended(money, true, notRefunded(reason)));
            case "CAPTURE_FAILED" -> Optional.of(new Notice.CaptureFailed(money, at, reason));
            case "CAPTURE" ->
                Optional.of(item.isSuccess() ? new Notice.CapturedAgain(money, at) : new Notice.CaptureFailed(money, at, reason));
            default -> AdyenDisputes.isOne(item.eventCode()) ? Optional.of(new Notice.Disputed(AdyenDisputes.report(item, money)))
                    : CANCELLATIONS.contains(item.eventCode()) && item.isSuccess()
                            ? Optional.of(new Notice.TakenBack(money, item.eventCode(), reason)) : Optional.empty();
        };
    }

    private static Outcome notRefunded(String reason) {
        return new Outcome.Failed(FailureCause.REFUND_FAILED, "Adyen did not refund: " + reason);
    }
}
