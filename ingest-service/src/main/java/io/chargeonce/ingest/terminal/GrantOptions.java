// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.text.AddressRange;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenTable.Grant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** What a token is made for. */
final class GrantOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Option(names = "--scopes", paramLabel = "S", split = ",",
            description = "What the token may do: pay, refund, read, webhooks. Default: all.")
    List<String> scopes = List.of();

    @Option(names = "--from", paramLabel = "RANGE", split = ",",
            description = "Addresses that it may come from, such as 192.0.2.0/24. The address of the connection counts. Default: anywhere.")
    List<String> from = List.of();

    @Option(names = "--expires-in", paramLabel = "D", description = "How long it is valid, such as 12h or 90d. Default: for ever.")
    Optional<String> expiresIn = Optional.empty();

    Grant grant() {
        try {
            Set<Scope> chosen = scopes.isEmpty() ? EnumSet.allOf(Scope.class)
                    : scopes.stream().map(Scope::fromTag).collect(Collectors.toSet());
            return new Grant(chosen, from.stream().map(AddressRange::parse).toList(), expiresIn.map(text -> duration(text)));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    /** @throws IllegalArgumentException for another shape */
    static Duration duration(String text) {
        if (!text.matches("\\d{1,6}[smhd]")) {
            throw new IllegalArgumentException("'" + text + "' is not a duration such as 30m, 24h or 90d");
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
