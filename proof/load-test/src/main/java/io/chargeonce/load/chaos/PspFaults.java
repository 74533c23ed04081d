// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.PspSimulator;
import io.chargeonce.sandbox.stripe.StripeOperation;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** Faults of a PSP: storms of one fault, outages, and answers without meaning. Ends with the next healing. For one thread. */
final class PspFaults {

    private static final Duration LONGER_THAN_WE_WAIT = Duration.ofMillis(700);
    private static final List<Fault> AT_STRIPE =
            List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(), new Fault.Truncated(),
                    new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(LONGER_THAN_WE_WAIT),
                    new Fault.SlowAfter(LONGER_THAN_WE_WAIT), new Fault.WrongAmount(1));

    private static final int LASTING = 40;

    private final CampaignStage stage;
    private final RandomGenerator random;

    PspFaults(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    /** Returns the fault's name. */
    String inflict() {
        return switch (random.nextInt(6)) {
            case 0 -> everywhere();
            case 1, 2 -> atAdyen();
            default -> atStripe();
        };
    }

    /** Payments come to wait like this soon. Returns the fault's name. */
    String make(Wait wait) {
        return switch (wait) {
            case PARKED -> {
                stage.stripe.refuseConnections();
                stage.adyen.refuseConnections();
                yield "stripe refuses connections, adyen refuses connections";
            }
            case SCHEDULED -> {
                stage.storm(stage.stripe, FaultRule.once(new Fault.FailBefore()).times(LASTING).on(StripeOperation.CREATE));
                yield "stripe 500_before";
            }
            case UNRESOLVED -> {
                stage.storm(stage.stripe, FaultRule.once(new Fault.AnswerLost()).times(LASTING));
                yield "stripe answer_lost";
            }
        };
    }

    /** With no PSP left, payments wait. */
    private String everywhere() {
        return out("stripe", stage.stripe) + ", " + out("adyen", stage.adyen);
    }

    private String atStripe() {
        return switch (random.nextInt(6)) {
            case 0 -> out("stripe", stage.stripe);
            case 1 -> lostThenLimited();
            default -> {
                Fault fault = AT_STRIPE.get(random.nextInt(AT_STRIPE.size()));
                stage.storm(stage.stripe, random.nextBoolean() ? times(fault).on(StripeOperation.CONFIRM) : times(fault));
                yield "stripe " + fault.text();
            }
        };
    }

    /** What the PSP says about the status query is about the status query alone: the money has moved. */
    private String lostThenLimited() {
        stage.storm(stage.stripe, times(new Fault.AnswerLost()).on(StripeOperation.CONFIRM));
        stage.storm(stage.stripe, times(new Fault.RateLimited(1)).on(StripeOperation.RETRIEVE));
        return "stripe answer_lost, then 429";
    }

    private String atAdyen() {
        // Behind a frozen 500 nothing happened: no webhook follows, and only a person can ever say more.
        List<Fault> possible =
                List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.TransientBefore(), new Fault.TransientAfter(),
                        new Fault.AnswerLost(),
                        new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(LONGER_THAN_WE_WAIT),
                        new Fault.SlowAfter(LONGER_THAN_WE_WAIT));
        int pick = random.nextInt(possible.size() + 1);
        if (pick == possible.size()) {
            return out("adyen", stage.adyen);
        }
        stage.storm(stage.adyen, times(possible.get(pick)));
        return "adyen " + possible.get(pick).text();
    }

    private FaultRule times(Fault fault) {
        return FaultRule.once(fault).times(5 + random.nextInt(30));
    }

    private String out(String name, PspSimulator psp) {
        if (random.nextBoolean()) {
            psp.outage(Duration.ofSeconds(5));
            return name + " answers 503";
        }
        psp.refuseConnections();
        return name + " refuses connections";
    }
}
