// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.awaitility.Awaitility.await;

import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.database.People;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.text.AddressRange;
import io.chargeonce.sandbox.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A console over a Postgres of its own, which asks people for their password and trusts all others; and people to sign in: a reader, two
 * operators, one who may unmask, and one without any right.
 */
final class ConsoleWorld implements AutoCloseable {

    static final String READER = "reader:secret of reader";
    static final String OPERATOR = "operator:secret of operator";
    static final String APPROVER = "approver:secret:of approver";
    static final String UNMASKER = "unmasker:secret of unmasker";
    static final String GUEST = "guest:secret of guest";
    static final String LATECOMER = "latecomer:secret of latecomer";
    static final String STRANGER = "stranger:secret of stranger";

    private final PostgresServer postgres;
    private final Meters meters;
    private final ConsoleService console;
    final QueueRows rows;
    final ToldWitness witness = new ToldWitness();

    private ConsoleWorld(PostgresServer postgres) {
        this.postgres = postgres;
        this.rows = QueueRows.in(postgres.newDatabase());
        person(READER, "chargeonce_dlq_reader");
        person(OPERATOR, "chargeonce_dlq_operator");
        person(APPROVER, "chargeonce_dlq_operator");
        person(UNMASKER, "chargeonce_dlq_reader");
        person(UNMASKER, "chargeonce_dlq_unmask");
        person(GUEST, "chargeonce_dlq_operator");
        person(LATECOMER, "chargeonce_dlq_reader");
        stranger();
        askForPasswords();
        this.meters = Meters.of("test");
        this.console = start(Sessions.Lifetime.USUAL, ConsoleService.Patience.USUAL, witness);
    }

    static ConsoleWorld start() {
        return new ConsoleWorld(PostgresServer.startTemporary());
    }

    /** Another one over the same database; the caller closes it. */
    ConsoleService start(Sessions.Lifetime lifetime, ConsoleService.Patience patience, WitnessView seen) {
        return start(lifetime, patience, seen, 40, List.of());
    }

    /** Another one with at most so many connections; the caller closes it. */
    ConsoleService startWithConnections(int most) {
        return start(Sessions.Lifetime.USUAL, ConsoleService.Patience.USUAL, witness, most, List.of());
    }

    /** Another one behind a proxy on this machine; the caller closes it. */
    ConsoleService startBehindAProxy() {
        return start(Sessions.Lifetime.USUAL, ConsoleService.Patience.USUAL, witness, 40, List.of(AddressRange.parse("127.0.0.1")));
    }

    private ConsoleService start(Sessions.Lifetime lifetime, ConsoleService.Patience patience, WitnessView seen, int connections,
                                 List<AddressRange> proxies) {
        var pipeline = new PipelineSettings(rows.url(), "postgres", "", "127.0.0.1:1", Optional.empty(), "payments",
                List.of(Duration.ofSeconds(5), Duration.ofMinutes(1)), Optional.empty());
        return ConsoleService.start(new ConsoleSettings(pipeline, new Address("127.0.0.1", 0), Optional.empty(), QueueRows.VAULT, lifetime,
                ToldWitness.UNUSED, connections, proxies),
                seen, meters, patience);
    }

    private void person(String token, String role) {
        String[] parts = token.split(":", 2);
        People.add(rows.url(), "postgres", "", parts[0], role, Optional.of(parts[1].toCharArray()));
    }

    private void stranger() {
        rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute("CREATE ROLE stranger LOGIN PASSWORD 'secret of stranger'");
            }
        });
    }

    private void askForPasswords() {
        try {
            Path rules = Path.of(rows.text("SHOW hba_file"));
            Files.writeString(rules, "host all reader,operator,approver,unmasker,guest,latecomer,stranger 127.0.0.1/32 scram-sha-256\n"
                    + "host all all 127.0.0.1/32 trust\n");
            rows.text("SELECT pg_reload_conf()");
            await().until(() -> rows.text("SELECT count(*) FROM pg_hba_file_rules").equals("2"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return console.port();
    }

    Browser browser() {
        return new Browser(console.port());
    }

    Browser signIn(String token) {
        return browser().signIn(token);
    }

    @Override
    public void close() {
        console.close();
        meters.close();
        rows.queue().database().close();
        rows.owner().close();
        postgres.close();
    }
}
