// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.database.Roles;
import io.chargeonce.database.Sql;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.EndpointAddress;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.notifications.terminal.MessageCommand;
import io.chargeonce.text.Counted;
import io.chargeonce.vault.Vault;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The commands about webhooks. Postgres is opened once the command line is known to be right. */
@Command(name = "webhook", description = "Manages the webhooks of merchants.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        subcommands = {AddEndpoint.class, ListEndpoints.class, EndpointCommands.Rotate.class, EndpointCommands.Disable.class,
            EndpointCommands.Enable.class, EndpointCommands.Remove.class, TestEndpoint.class, Deliveries.class, Redeliver.class},
        footer = {"", "Example: an endpoint, and what it got",
            "  chargeonce webhook add --merchant acme --url https://acme.example/hooks --events '*'", "  chargeonce webhook deliveries"})
public final class WebhookCommand implements Runnable {

    static final String NO_ENDPOINT = "no endpoint has that id: see chargeonce webhook list";

    /** What the commands need; the command closes the database. */
    public record Opened(Database database, EndpointSettings settings) {

        private Books books() {
            var caller = new Caller.Person(claim());
            return new Books(new EndpointTable(database, settings.vault(), caller), new DeliveryBook(database, caller),
                    new EndpointAddress(settings.allowedHosts()));
        }
    }

    /** The books over one connection. */
    record Books(EndpointTable endpoints, DeliveryBook deliveries, EndpointAddress addresses) {}

    private static final String LOGIN = "SELECT session_user";

    private final Supplier<Opened> open;

    @Spec
    CommandSpec spec;

    /** @param open what it throws reaches the caller of the command line */
    public WebhookCommand(Supplier<Opened> open) {
        this.open = open;
    }

    public CommandLine commandLine() {
        return new CommandLine(this);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(),
                "say what to do: add, list, rotate, test, deliveries, redeliver, disable, enable or remove");
    }

    int with(ToIntFunction<Books> action) {
        Opened opened = open.get();
        try (Database database = opened.database) {
            return action.applyAsInt(opened.books());
        }
    }

    /** The same for a change. A shared login gets a warning: the audit log then names no person. */
    int change(MessageCommand<WebhookCommand> command, ToIntFunction<Books> action) {
        Opened opened = open.get();
        try (Database database = opened.database) {
            if (login(database).equals(Roles.MERCHANT_ADMIN)) {
                command.refuse(0, "you act as the shared role %s, so the audit log names that role and no person; "
                        .formatted(Roles.MERCHANT_ADMIN) + "chargeonce migrate --merchant-admin NAME makes a login of your own");
            }
            return action.applyAsInt(opened.books());
        } catch (Vault.NoKey noKey) {
            return command.refuse(MessageCommand.USAGE, noKey.getMessage());
        }
    }

    private static String login(Database database) {
        return database.withConnection(connection -> Sql.one(connection, LOGIN, row -> row.getString(1)));
    }

    /** Kept beside the name that counts, which is the login at Postgres. */
    private static String claim() {
        return String.valueOf(System.getProperty("user.name"));
    }

    static String dead(long count) {
        return Counted.of(count, "dead delivery", "dead deliveries");
    }
}
