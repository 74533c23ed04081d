// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.Disputes;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Disputes of the whole payment. Each step is told by the notifications that Adyen's page of dispute webhooks has for it, all under the
 * pspReference of the dispute. Any thread.
 */
record AdyenDisputeBook(AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger, LockStripes locks, InstantSource clock)
        implements
            Disputes {
    private static final Duration TO_DEFEND = Duration.ofDays(14);

    @Override
    public LedgerDispute become(String payment, DisputeStep step) {
        return locks.locked(payment, () -> {
            AdyenPayment disputed = objects.payment(payment).filter(found -> found.captured() > 0)
                    .orElseThrow(() -> new IllegalArgumentException("no payment " + payment + " was captured"));
            Optional<AdyenDispute> before = objects.disputeOf(payment);
            AdyenDispute next = before.map(dispute -> dispute.become(step))
                    .orElseGet(() -> new AdyenDispute(Ids.nextUpperCase(16), payment, disputed.amount(), step));
            events(before.map(AdyenDispute::step), step)
                    .forEach(event -> ledger.commit(AdyenChange.disputed(next, notification(event, next, disputed, clock.instant()))));
            return shown(next);
        });
    }

    private static List<String> events(Optional<DisputeStep> before, DisputeStep step) {
        boolean wasTaken = before.filter(DisputeStep::hasTheMoney).isPresent();
        boolean wasReturned = before.equals(Optional.of(DisputeStep.RETURNED));
        return switch (step) {
            case INQUIRY -> List.of("REQUEST_FOR_INFORMATION");
            case OPENED -> List.of("NOTIFICATION_OF_CHARGEBACK");
            case TAKEN -> List.of("CHARGEBACK");
            case RETURNED -> List.of("CHARGEBACK_REVERSED");
            case WON -> wasTaken ? List.of("CHARGEBACK_REVERSED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED")
                    : List.of("ISSUER_RESPONSE_TIMEFRAME_EXPIRED");
            case LOST -> wasReturned ? List.of("SECOND_CHARGEBACK")
                    : wasTaken ? List.of("DISPUTE_DEFENSE_PERIOD_ENDED") : List.of("CHARGEBACK", "DISPUTE_DEFENSE_PERIOD_ENDED");
        };
    }

    private static Notification notification(String event, AdyenDispute dispute, AdyenPayment payment, Instant now) {
        String status = switch (dispute.step()) {
            case INQUIRY, OPENED, TAKEN -> "Undefended";
            case RETURNED -> "Pending";
            case WON -> "Won";
            case LOST -> "Lost";
        };
        String defendBy = DateTimeFormatter.ISO_OFFSET_DATE_TIME
                .format(now.plus(TO_DEFEND).truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.ofHours(1)));
        return new Notification(Ids.nextUpperCase(20), event, dispute.pspReference(), Optional.of(dispute.payment()), payment.reference(),
                dispute.amount(), now, true, "Other Fraud-Card Absent Environment", payment.brand(),
                Map.of("disputeStatus", status, "defensePeriodEndsAt", defendBy, "chargebackReasonCode", "10.4", "chargebackSchemeCode",
                        payment.brand()));
    }

    private LedgerDispute shown(AdyenDispute dispute) {
        return new LedgerDispute(dispute.pspReference(), dispute.payment(),
                objects.payment(dispute.payment()).map(AdyenPayment::metadata).orElse(Map.of()), dispute.amount().value(),
                Movement.currency(dispute.amount().currency()), AdyenCurrencies.value(dispute.amount()), dispute.step().stage(),
                dispute.step().funds());
    }

    @Override
    public List<LedgerDispute> all() {
        return objects.disputes().stream().map(this::shown).toList();
    }
}
