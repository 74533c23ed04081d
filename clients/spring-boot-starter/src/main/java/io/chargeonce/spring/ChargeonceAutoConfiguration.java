// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import io.chargeonce.client.PaymentClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Makes the client if {@code chargeonce.url} is set and the application has no client of its own. It is closed with the application. */
@AutoConfiguration
@ConditionalOnProperty("chargeonce.url")
@ConditionalOnMissingBean(PaymentClient.class)
@EnableConfigurationProperties(ChargeonceProperties.class)
public class ChargeonceAutoConfiguration {

    /** An application may well have a paymentClient of another kind. */
    @Bean
    PaymentClient chargeoncePaymentClient(ChargeonceProperties settings) {
        return new PaymentClient(settings.url(), settings.token(), settings.retries().retries(), settings.timeouts().patience());
    }
}
