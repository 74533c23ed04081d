package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.TokenBook;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The commands about credentials. */
@Command(name = "token", description = "The credentials of merchants.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class TokenCommand implements Runnable {

    private static final String LINE = "%-12s  %-24s  %-28s  %s";

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: new, revoke or list");
    }

    @Command(name = "new", description = "Makes a credential and prints it once: only its digest is stored.",
            usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
    int make(@Parameters(paramLabel = "MERCHANT", description = "Its id.") String merchant) {
        return merchants.with(database -> new TokenBook(database, MerchantCommand.actor()).add(merchant)
                .map(token -> {
                    MerchantCommand.refuse(command("new"), 0, "token " + token.id() + " of " + merchant
                            + ", shown this once; send it as 'Authorization: Bearer …'");
                    return MerchantCommand.say(spec, token.secret());
                })
                .orElseGet(() -> MerchantCommand.refuse(command("new"), MerchantCommand.NO,
                        "there is no merchant of that id: see chargeonce merchant list")));
    }

    @Command(name = "revoke", description = "Ends a credential; it is refused within seconds.", usageHelpAutoWidth = true,
            mixinStandardHelpOptions = true)
    int revoke(@Parameters(paramLabel = "TOKEN-ID", description = "As 'token list' shows it; never the token itself.") String id) {
        return merchants.with(database -> new TokenBook(database, MerchantCommand.actor()).revoke(id)
                ? MerchantCommand.say(spec, "Revoked " + id + ".")
                : MerchantCommand.refuse(command("revoke"), MerchantCommand.NO,
                        "no valid token has that id: see chargeonce merchant token list"));
    }

    @Command(name = "list", description = "Lists credentials, without the tokens themselves.", usageHelpAutoWidth = true,
            mixinStandardHelpOptions = true)
    int list(@Option(names = "--json", description = "Print JSON, one object a line.") boolean json) {
        return merchants.with(database -> {
            if (!json) {
                MerchantCommand.say(spec, LINE.formatted("token", "merchant", "made", "revoked"));
            }
            new TokenBook(database, MerchantCommand.actor()).list()
                    .forEach(entry -> MerchantCommand.say(spec, json ? json(entry) : line(entry)));
            return 0;
        });
    }

    private CommandSpec command(String name) {
        return spec.subcommands().get(name).getCommandSpec();
    }

    private static String line(TokenBook.Entry entry) {
        return LINE.formatted(entry.id(), entry.merchant(), entry.createdAt(), entry.revokedAt().map(Instant::toString).orElse(""))
                .stripTrailing();
    }

    private static String json(TokenBook.Entry entry) {
        var object = new LinkedHashMap<String, Object>();
        object.put("token", entry.id());
        object.put("merchant", entry.merchant());
        object.put("made_at", entry.createdAt().toString());
        entry.revokedAt().ifPresent(at -> object.put("revoked_at", at.toString()));
        return new String(PaymentJson.write(object), StandardCharsets.UTF_8);
    }
}
