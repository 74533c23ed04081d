// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointTable.Change;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Changes of one endpoint. */
final class EndpointCommands {

    private EndpointCommands() {}

    /** What they have in common. */
    abstract static class OfEndpoint implements Callable<Integer> {

        @ParentCommand
        WebhookCommand webhooks;

        @Spec
        CommandSpec spec;

        @Parameters(paramLabel = "ID", description = "As 'webhook list' shows it.")
        String id;
    }

    @Command(name = "rotate", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Makes another secret and prints it once. Requests are signed with both until the old one expires.")
    static final class Rotate extends OfEndpoint {

        @Option(names = "--overlap", paramLabel = "D", defaultValue = "24h",
                description = "How long the old secret stays valid. Default: ${DEFAULT-VALUE}; 0s ends it at once.")
        String overlap;

        @Option(names = "--json", description = "Print JSON.")
        boolean json;

        @Override
        public Integer call() {
            Duration both = duration(spec, "--overlap", overlap);
            return webhooks.change(spec, books -> {
                var rotated = books.endpoints().rotate(id, both);
                return rotated.made().map(renewed -> AddEndpoint.shown(spec, renewed, json)).orElseGet(
                        () -> WebhookCommand.refuse(spec, WebhookCommand.NO, rotated.change() == Change.TOO_MANY
                                ? "it has five valid secrets, which is the most: use --overlap 0s, which ends them"
                                : WebhookCommand.NO_ENDPOINT));
            });
        }
    }

    @Command(name = "disable", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Sends nothing more to an endpoint. What waits for it is dead, and later events are too.")
    static final class Disable extends OfEndpoint {

        @Override
        public Integer call() {
            return webhooks.change(spec, books -> books.endpoints().disable(id) == Change.DONE
                    ? WebhookCommand.say(spec, "Disabled %s. 'chargeonce webhook enable %s' ends it.".formatted(id, id))
                    : WebhookCommand.refuse(spec, WebhookCommand.NO, "no endpoint has that id, or it is disabled already: see chargeonce "
                            + "webhook list"));
        }
    }

    @Command(name = "enable", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Sends to a disabled endpoint again. What it has missed stays dead until 'webhook redeliver'.")
    static final class Enable extends OfEndpoint {

        @Override
        public Integer call() {
            return webhooks.change(spec, books -> books.endpoints().enable(id) == Change.DONE
                    ? WebhookCommand.say(spec, "Enabled %s. It has %s to send again by 'chargeonce webhook redeliver %s'."
                            .formatted(id, WebhookCommand.dead(books.deliveries().deadOf(id)), id))
                    : WebhookCommand.refuse(spec, WebhookCommand.NO, "no disabled endpoint has that id: see chargeonce webhook list"));
        }
    }

    @Command(name = "remove", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Removes an endpoint and its secrets for good. Its deliveries stay listed until they are forgotten.")
    static final class Remove extends OfEndpoint {

        @Option(names = "--yes", description = "Do it.")
        boolean yes;

        @Override
        public Integer call() {
            return !yes ? WebhookCommand.refuse(spec, WebhookCommand.USAGE, "this cannot be undone; add --yes to do it")
                    : webhooks.change(spec, books -> books.endpoints().remove(id) == Change.DONE
                            ? WebhookCommand.say(spec, "Removed %s.".formatted(id))
                            : WebhookCommand.refuse(spec, WebhookCommand.NO, WebhookCommand.NO_ENDPOINT));
        }
    }

    static Duration duration(CommandSpec spec, String option, String text) {
        if (!text.matches("\\d{1,6}[smhd]")) {
            throw new ParameterException(spec.commandLine(), "%s is '%s', but must be a duration such as 30s, 24h or 7d".formatted(option,
                    text));
        }
        long number = Long.parseLong(text.substring(0, text.length() - 1));
        return switch (text.charAt(text.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
