// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Processes that are started again with other settings than their neighbours, until the next healing. For one thread. */
final class Misconfigurations {

    private static final Duration TO_LEAVE = Duration.ofSeconds(10);
    private static final String ROUTES = "CHARGEONCE_ROUTES";
    private static final String STRIPE_KEY = "CHARGEONCE_STRIPE_API_KEY_FILE";
    private static final String ADYEN_KEY = "CHARGEONCE_ADYEN_API_KEY_FILE";

    private record Change(String name, Map<String, Optional<String>> settings) {}

    private final CampaignStage stage;
    private final RandomGenerator random;

    Misconfigurations(CampaignStage stage, RandomGenerator random) {
        this.stage = stage;
        this.random = random;
    }

    /** One of those who charge or all of them, one after the other as in a rolling deploy. Returns the fault's name. */
    String inflict() {
        List<Child> charging = stage.consumers();
        List<Child> changed = random.nextBoolean() ? charging : List.of(charging.get(random.nextInt(charging.size())));
        List<Change> possible = List.of(withoutAdyen(), withoutStripe(),
                new Change("other routes", Map.of(ROUTES, Optional.of(stage.routes("method= -> adyen:5,stripe:1")))),
                otherKey("a key of stripe that was rolled", STRIPE_KEY, "sk_test_rolled"),
                otherKey("the key of another account at stripe", STRIPE_KEY, "sk_test_stranger"),
                otherKey("a wrong key of adyen", ADYEN_KEY, AdyenSimulatorSettings.API_KEY + "x"));
        Change change = possible.get(random.nextInt(possible.size()));
        changed.forEach(service -> service.restartWith(change.settings(), TO_LEAVE));
        return change.name() + (changed.size() == 1 ? " in " + changed.getFirst().name() : " everywhere");
    }

    private Change withoutAdyen() {
        return new Change("adyen gone", Map.of(ROUTES, Optional.of(stage.routes("-> stripe:1")), ADYEN_KEY, Optional.empty(),
                "CHARGEONCE_ADYEN_API_BASE", Optional.empty(), "CHARGEONCE_ADYEN_MERCHANT_ACCOUNT", Optional.empty(),
                "CHARGEONCE_ADYEN_HMAC_KEY_FILE", Optional.empty()));
    }

    private Change withoutStripe() {
        return new Change("stripe gone", Map.of(ROUTES, Optional.of(stage.routes("-> adyen:1")), STRIPE_KEY, Optional.empty(),
                "CHARGEONCE_STRIPE_API_BASE", Optional.empty(), "CHARGEONCE_STRIPE_WEBHOOK_SECRET_FILE", Optional.empty()));
    }

    private Change otherKey(String name, String setting, String key) {
        try {
            Path file = Files.writeString(stage.directory.resolve(name.replace(' ', '-')), key);
            return new Change(name, Map.of(setting, Optional.of(file.toString())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
