// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.ReadFailed;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the client, with the actuator, unless {@code management.health.chargeonce.enabled} is false. */
@AutoConfiguration(after = ChargeonceAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(PaymentClient.class)
@ConditionalOnEnabledHealthIndicator("chargeonce")
public class ChargeonceHealthAutoConfiguration {

    /** Up if the server is there and knows the token. */
    @Bean
    @ConditionalOnMissingBean(name = "chargeonceHealthIndicator")
    HealthIndicator chargeonceHealthIndicator(PaymentClient client) {
        return () -> {
            try {
                client.check();
                return Health.up().build();
            } catch (ReadFailed e) {
                return Health.down(e).build();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Health.unknown().build();
            }
        };
    }
}
