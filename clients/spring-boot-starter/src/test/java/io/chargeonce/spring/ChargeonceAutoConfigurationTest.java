// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.Patience;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.ReadFailed;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class ChargeonceAutoConfigurationTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ChargeonceAutoConfiguration.class,
                    ChargeonceHealthAutoConfiguration.class));
    private final Queue<String> tokens = new ConcurrentLinkedQueue<>();
    private volatile int status = 200;
    private volatile String answer = "{\"data\":[]}";
    private HttpServer server;
    private ApplicationContextRunner shop;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            tokens.add(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        shop = bare.withPropertyValues("chargeonce.url=http://127.0.0.1:" + server.getAddress().getPort(), "chargeonce.token=test_acme",
                "chargeonce.retries.most=2", "chargeonce.retries.first=1ms");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void the_client_sends_to_the_url_with_the_token_as_often_as_is_set() {
        status = 503;
        shop.run(context -> {
            Sent sent = context.getBean(PaymentClient.class).send(NewPayment.of("order-1-charge", 1299, "EUR", "pm_card_visa"));
            assertThat(sent).isInstanceOf(Sent.Unknown.class);
            assertThat(tokens).containsExactly("Bearer test_acme", "Bearer test_acme");
        });
    }

    @Test
    void without_a_url_there_is_neither_a_client_nor_its_health() {
        bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(PaymentClient.class).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void defaults_are_those_of_the_client() {
        bare.withPropertyValues("chargeonce.url=https://pay.example.com", "chargeonce.token=t").run(context -> {
            var settings = context.getBean(ChargeonceProperties.class);
            assertThat(settings.retries().retries()).isEqualTo(Retries.USUAL);
            assertThat(settings.timeouts().patience()).isEqualTo(Patience.USUAL);
        });
    }

    @Test
    void a_setting_that_cannot_be_stops_the_start_and_says_which() {
        bare.withPropertyValues("chargeonce.url=pay.example.com", "chargeonce.token=t")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("chargeonce.url must be"));
        bare.withPropertyValues("chargeonce.url=https://pay.example.com")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("chargeonce.token must be"));
        shop.withPropertyValues("chargeonce.timeouts.answer=0s")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("above zero"));
    }

    @Test
    void the_token_is_in_no_text_of_the_settings() {
        shop.run(context -> assertThat(context.getBean(ChargeonceProperties.class).toString()).contains("127.0.0.1")
                .doesNotContain("test_acme"));
    }

    @Configuration(proxyBeanMethods = false)
    static class ClientOfTheirOwn {

        @Bean
        PaymentClient client() {
            return new PaymentClient(URI.create("http://127.0.0.1:1"), "own", Retries.USUAL);
        }
    }

    @Test
    void an_application_with_a_client_of_its_own_keeps_it() {
        bare.withPropertyValues("chargeonce.url=https://pay.example.com").withUserConfiguration(ClientOfTheirOwn.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PaymentClient.class).hasBean("client")
                        .hasSingleBean(HealthIndicator.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherPaymentClient {

        @Bean
        String paymentClient() {
            return "another provider's";
        }
    }

    @Test
    void an_application_may_have_a_payment_client_of_another_kind() {
        shop.withUserConfiguration(AnotherPaymentClient.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PaymentClient.class).hasBean("paymentClient"));
    }

    private void health(Status expected, String words) {
        shop.run(context -> {
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(expected);
            assertThat(health.getDetails().toString()).contains(words);
        });
    }

    @Test
    void the_health_is_up_if_the_server_knows_the_token_whatever_its_scopes_are() {
        health(Status.UP, "");
        status = 403;
        answer = "{\"type\":\"urn:chargeonce:problem:scope-missing\"}";
        health(Status.UP, "");
    }

    @Test
    void the_health_is_down_and_says_why_if_the_token_or_the_server_does_not_do() {
        status = 401;
        answer = "{\"type\":\"urn:chargeonce:problem:token-revoked\"}";
        health(Status.DOWN, "token-revoked");
        status = 503;
        health(Status.DOWN, "503");
        assertThat(tokens).as("asked once each").hasSize(2);
        server.stop(0);
        health(Status.DOWN, "no connection to the server");
    }

    @Test
    void an_application_without_the_actuator_or_that_wants_none_has_no_health_of_it() {
        shop.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PaymentClient.class));
        shop.withPropertyValues("management.health.chargeonce.enabled=false")
                .run(context -> assertThat(context).hasSingleBean(PaymentClient.class).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void the_client_is_closed_with_the_application() {
        var kept = new PaymentClient[1];
        shop.run(context -> kept[0] = context.getBean(PaymentClient.class));
        assertThatThrownBy(kept[0]::check).isInstanceOf(ReadFailed.class);
        assertThat(tokens).isEmpty();
    }

    /** It is what editors complete and explain. */
    @Test
    void each_setting_is_described_in_the_metadata() throws IOException {
        try (var metadata = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            var properties = new JsonMapper().readTree(metadata).path("properties");
            assertThat(properties.valueStream().map(one -> one.path("name").asString())).containsExactlyInAnyOrder("chargeonce.url",
                    "chargeonce.token", "chargeonce.timeouts.answer", "chargeonce.timeouts.batch",
                    "chargeonce.timeouts.silence", "chargeonce.retries.most", "chargeonce.retries.first", "chargeonce.retries.longest");
            assertThat(properties).allSatisfy(one -> assertThat(one.path("description").asString("")).isNotEmpty());
        }
    }
}
