// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * PSPs charge and do not say so, while people purge payments without an answer, restore them and refund them. With the next healing the
 * outcomes arrive: by webhooks, by delayed answers, by status queries. For one thread.
 */
final class LateTruth {

    private static final int LASTING = 60;
    private static final Duration UNTIL_SOME_ARE_UNKNOWN = Duration.ofSeconds(2);

    private final CampaignStage stage;
    private final RandomGenerator random;

    LateTruth(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    /** Returns the fault's name. */
    String inflict() {
        stage.adyen.holdWebhooks(true);
        stage.atHealing(() -> stage.adyen.holdWebhooks(false));
        stage.storm(stage.adyen, FaultRule.once(new Fault.AnswerLost()).times(LASTING));
        stage.storm(stage.stripe, FaultRule.once(new Fault.AnswerLost()).times(LASTING));
        stage.mark(stage.lateTruth());
        if (random.nextBoolean()) {
            return "answers and webhooks late, people hasty";
        }
        Pauses.of(UNTIL_SOME_ARE_UNKNOWN);
        Child zombie = stage.consumers().get(random.nextInt(stage.consumers().size()));
        zombie.freeze();
        return "answers, webhooks and " + zombie.name() + " late, people hasty";
    }
}
