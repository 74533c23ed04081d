// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenTable;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The commands about tokens. */
@Command(name = "token", description = "Manages the tokens of merchants.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class TokenCommand implements Runnable {

    static final List<Column<TokenTable.Entry>> COLUMNS = List.of(Column.whole("TOKEN", TokenTable.Entry::id),
            Column.whole("MERCHANT", TokenTable.Entry::merchant),
            Column.whole("SCOPES", entry -> scopes(entry).collect(Collectors.joining(","))),
            Column.time("LAST USED", TokenTable.Entry::usedAt), Column.time("MADE", entry -> Optional.of(entry.createdAt())),
            Column.time("EXPIRES", TokenTable.Entry::expiresAt), Column.time("REVOKED", TokenTable.Entry::revokedAt),
            Column.whole("FROM", entry -> entry.from().isEmpty() ? "anywhere" : String.join(",", entry.from())));

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: new, rotate, revoke or list");
    }

    @Command(name = "new", description = "Makes a token and prints it once: only its digest is stored.",
            usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
    int make(@Parameters(paramLabel = "MERCHANT", description = "Its id.") String merchant, @Mixin GrantOptions options) {
        TokenTable.Grant grant = options.grant();
        return merchants.change(command("new"), database -> new TokenTable(database, MerchantCommand.claim()).add(merchant, grant)
                .map(token -> shown("new", token, " of " + merchant))
                .orElseGet(() -> MerchantCommand.refuse(command("new"), MerchantCommand.NO,
                        "there is no merchant with that id: see chargeonce merchant list")));
    }

    private int shown(String command, TokenTable.NewToken token, String of) {
        MerchantCommand.refuse(command(command), 0,
                "token " + token.id() + of + " is shown only this once; send it as 'Authorization: Bearer …'");
        return MerchantCommand.say(spec, token.secret());
    }

    @Command(name = "rotate", description = "Makes a token like this one and prints it once. The old one expires after the overlap.",
            usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
    int rotate(@Parameters(paramLabel = "TOKEN-ID", description = "As 'token list' shows it; never the token itself.") String id,
               @Option(names = "--overlap", paramLabel = "D", defaultValue = "24h",
                       description = "How long both are valid. Default: ${DEFAULT-VALUE}; 0s ends the old one at once.") String overlap) {
        Duration both;
        try {
            both = GrantOptions.duration(overlap);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(command("rotate").commandLine(), e.getMessage());
        }
        return merchants.change(command("rotate"), database -> new TokenTable(database, MerchantCommand.claim()).rotate(id, both)
                .map(token -> shown("rotate", token, " in place of " + id))
                .orElseGet(() -> MerchantCommand.refuse(command("rotate"), MerchantCommand.NO,
                        "no valid token has that id: see chargeonce merchant token list")));
    }

    @Command(name = "revoke", description = "Ends a token. It is refused within seconds.", usageHelpAutoWidth = true,
            mixinStandardHelpOptions = true)
    int revoke(@Parameters(paramLabel = "TOKEN-ID", description = "As 'token list' shows it; never the token itself.") String id) {
        return merchants.change(command("revoke"), database -> new TokenTable(database, MerchantCommand.claim()).revoke(id)
                ? MerchantCommand.say(spec, "Revoked " + id + ".")
                : MerchantCommand.refuse(command("revoke"), MerchantCommand.NO,
                        "no valid token has that id: see chargeonce merchant token list"));
    }

    @Command(name = "list", description = "Lists tokens by their ids; the tokens themselves are stored nowhere.", usageHelpAutoWidth = true,
            mixinStandardHelpOptions = true)
    int list(@Option(names = "--json", description = "Print JSON, one object a line.") boolean json) {
        return merchants.with(database -> {
            List<TokenTable.Entry> entries = new TokenTable(database, MerchantCommand.claim()).list();
            if (json) {
                entries.forEach(entry -> MerchantCommand.say(spec, json(entry)));
            } else {
                Table.withEveryColumn(Screen.of(command("list")), COLUMNS).print(entries);
            }
            return 0;
        });
    }

    private CommandSpec command(String name) {
        return spec.subcommands().get(name).getCommandSpec();
    }

    private static Stream<String> scopes(TokenTable.Entry entry) {
        return entry.scopes().stream().map(Scope::tag);
    }

    private static String json(TokenTable.Entry entry) {
        var object = new LinkedHashMap<String, Object>();
        object.put("token", entry.id());
        object.put("merchant", entry.merchant());
        object.put("scopes", scopes(entry).toList());
        object.put("from", entry.from());
        object.put("made_at", entry.createdAt().toString());
        entry.expiresAt().ifPresent(at -> object.put("expires_at", at.toString()));
        entry.usedAt().ifPresent(at -> object.put("used_at", at.toString()));
        entry.revokedAt().ifPresent(at -> object.put("revoked_at", at.toString()));
        return new String(PaymentJson.write(object), StandardCharsets.UTF_8);
    }
}
