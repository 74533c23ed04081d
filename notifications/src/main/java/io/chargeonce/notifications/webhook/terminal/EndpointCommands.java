// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointTable.Change;
import io.chargeonce.notifications.terminal.MessageCommand;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes of one endpoint. */
final class EndpointCommands {

    private EndpointCommands() {}

    /** What they have in common. */
    abstract static class OfEndpoint extends MessageCommand<WebhookCommand> {

        @Parameters(paramLabel = "ID", description = "As 'webhook list' shows it.")
        String id;

        final Duration duration(String option, String text) {
            if (!text.matches("\\d{1,6}[smhd]")) {
                throw wrong("%s is '%s', but must be a duration such as 30s, 24h or 7d".formatted(option, text));
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
            Duration both = duration("--overlap", overlap);
            return parent.change(this, books -> {
                var rotated = books.endpoints().rotate(id, both);
                return rotated.made().map(renewed -> AddEndpoint.shown(this, renewed, json)).orElseGet(
                        () -> refuse(NO, rotated.change() == Change.TOO_MANY
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
            return parent.change(this, books -> books.endpoints().disable(id) == Change.DONE
                    ? say("Disabled %s. 'chargeonce webhook enable %s' ends it.".formatted(id, id))
                    : refuse(NO, "no endpoint has that id, or it is disabled already: see chargeonce webhook list"));
        }
    }

    @Command(name = "enable", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Sends to a disabled endpoint again. What it has missed stays dead until 'webhook redeliver'.")
    static final class Enable extends OfEndpoint {

        @Override
        public Integer call() {
            return parent.change(this, books -> books.endpoints().enable(id) == Change.DONE
                    ? say("Enabled %s. It has %s to send again by 'chargeonce webhook redeliver %s'."
                            .formatted(id, WebhookCommand.dead(books.deliveries().deadOf(id)), id))
                    : refuse(NO, "no disabled endpoint has that id: see chargeonce webhook list"));
        }
    }

    @Command(name = "remove", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = "Removes an endpoint and its secrets for good. Its deliveries stay listed until they are forgotten.")
    static final class Remove extends OfEndpoint {

        @Option(names = "--yes", description = "Do it.")
        boolean yes;

        @Override
        public Integer call() {
            return !yes ? refuse(USAGE, "this cannot be undone; add --yes to do it")
                    : parent.change(this, books -> books.endpoints().remove(id) == Change.DONE
                            ? say("Removed %s.".formatted(id)) : refuse(NO, WebhookCommand.NO_ENDPOINT));
        }
    }
}
