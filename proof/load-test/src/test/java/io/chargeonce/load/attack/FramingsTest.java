// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.load.attack.Attack.Result;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.vault.Vault;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One request, one answer, or a closed connection. {@link AttackTest} plays the same at ingest and at the PSPs' webhooks. */
class FramingsTest {

    @Test
    void the_console_takes_no_part_of_a_body_for_a_request() throws Exception {
        var settings = new ConsoleSettings(
                new PipelineSettings("jdbc:postgresql://127.0.0.1:1/none", "none", "", "127.0.0.1:1", Optional.empty(), "payments",
                        List.of(Duration.ofSeconds(5)), Optional.empty()),
                new Address("127.0.0.1", 0), Optional.empty(), Vault.IN_THE_CLEAR, Sessions.Lifetime.USUAL,
                new WitnessSettings(Optional.empty(), Optional.empty(), Duration.ofMinutes(5), Duration.ofMinutes(1), Duration.ofDays(1),
                        Duration.ofSeconds(1)));
        try (var meters = Meters.of("test"); var console = ConsoleService.start(settings, unaskedWitness(), meters)) {
            assertHeld(Framings.Door.console(local(console.port())));
        }
    }

    @Test
    void the_admin_server_takes_no_part_of_a_body_for_a_request() throws Exception {
        try (var admin = AdminServer.start(new Address("127.0.0.1", 0), Optional.empty(), () -> "")) {
            assertHeld(Framings.Door.admin(local(admin.port())));
        }
    }

    private static void assertHeld(Framings.Door door) throws Exception {
        var target = new AttackTarget(door.address(), "a", "b", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Map.of(), List.of(), Duration.ofSeconds(30), 1);
        try (var siege = new AttackSession(target)) {
            assertThat(Framings.ALL).hasSizeGreaterThan(100);
            assertThat(Framings.play(siege, door).result()).isInstanceOf(Result.Held.class);
        }
    }

    /** No request of the corpus has a session, so the witness is never asked. */
    private static WitnessView unaskedWitness() {
        return (WitnessView) Proxy.newProxyInstance(WitnessView.class.getClassLoader(), new Class<?>[] {WitnessView.class},
                (proxy, method, arguments) -> {
                    throw new IllegalStateException("Bug! The witness was asked without a session");
                });
    }

    private static URI local(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }
}
