// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Where health and metrics are served. */
final class AdminAttacks {

    private AdminAttacks() {}

    static final Result NO_ADDRESS = new Result.NotTried("--admin URL");

    static final List<Attack> ALL = List.of(
            Attack.plain("admin-without-token", "metrics without the admin token, and with wrong ones", AdminAttacks::withoutToken),
            Attack.plain("admin-framings", "the same framings, before health",
                    siege -> siege.target.admin().isEmpty() ? NO_ADDRESS
                            : Framings.play(siege, Framings.Door.admin(siege.target.admin().get())).result()),
            Attack.plain("admin-odd", "other paths and methods", AdminAttacks::odd));

    private static Result withoutToken(AttackSession siege) throws IOException {
        if (siege.target.admin().isEmpty()) {
            return NO_ADDRESS;
        }
        if (siege.target.adminToken().isEmpty()) {
            return new Result.NotTried("--admin-token-file FILE: a service that only this machine can ask needs none");
        }
        URI door = siege.target.admin().get();
        var several = new Several();
        for (String header : List.of("", "Authorization: Bearer \r\n", "Authorization: Bearer x\r\n", "Authorization: Bearer null\r\n",
                AttackSession.as(siege.target.token()), "X-Forwarded-For: 127.0.0.1\r\n",
                "Authorization: Basic " + siege.target.adminToken().get()
                        + "\r\n")) {
            several.add(header, siege.ask(door, "GET", "/metrics", header, ""));
        }
        Reply health = siege.ask(door, "GET", "/health/ready", "", "");
        several.add("health", !health.body().contains("\"checks\""), health.toString());
        Reply with = siege.ask(door, "GET", "/metrics", AttackSession.as(siege.target.adminToken().get()), "");
        several.add("with the token", with.status() == 200, with.toString());
        return several.result();
    }

    private static Result odd(AttackSession siege) throws IOException {
        if (siege.target.admin().isEmpty()) {
            return NO_ADDRESS;
        }
        URI door = siege.target.admin().get();
        var several = new Several();
        for (String path : List.of("/", "/metrics/../x", "/metrics/x", "/health", "/health/../metrics", "/health/live/", "/actuator",
                "/env", "/heapdump", "/%2e%2e/")) {
            several.add(path, siege.ask(door, "GET", path, "", ""));
        }
        for (String method : List.of("POST", "PUT", "DELETE", "TRACE")) {
            several.add(method, siege.ask(door, method, "/metrics", "", ""));
        }
        return several.result();
    }
}
