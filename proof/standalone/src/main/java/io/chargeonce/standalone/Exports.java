// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.psp.stripe.StripeProvider;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.vault.Vault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the commands of another terminal need to work on a pipeline of this machine, as lines for its shell. Pure. */
final class Exports {

    private Exports() {}

    /** Where it is; then its keys, the hosts that webhooks may go to, and its account at Stripe. */
    static List<String> of(LocalPipeline pipeline) {
        var foundations = pipeline.foundations;
        String key = foundations.dataKey().toString();
        var where = new LinkedHashMap<String, String>();
        where.put(PipelineSettings.DATABASE_URL.name(), foundations.postgres().jdbcUrl().replaceFirst("\\?user=postgres$", ""));
        where.put(PipelineSettings.KAFKA.name(), foundations.kafka().bootstrapServers());
        where.put(PipelineSettings.ADMIN.name(), "127.0.0.1:" + pipeline.adminPort);
        var keys = new LinkedHashMap<String, String>();
        keys.put(Vault.FILE_OF_A_COMMAND.name(), key);
        keys.put(EndpointSettings.KEY, key);
        keys.put(EndpointSettings.ALLOWED_HOSTS.name(), String.join(",", CardPipeline.HERE));
        keys.put(BankFilesSettings.KEY_FILE.name(), key);
        keys.put(StripeProvider.API_KEY.name(), foundations.stripeKey().toString());
        keys.put(StripeProvider.API_BASE.name(), foundations.stripe().apiBase().toString());
        return List.of(line(where), line(keys));
    }

    /** One line to a shell, and to people as many as fit their window. */
    static String line(Map<String, String> settings) {
        return settings.entrySet().stream().map(setting -> setting.getKey() + "=" + quoted(setting.getValue()))
                .collect(Collectors.joining(" \\\n    ", "  export ", ""));
    }

    private static String quoted(String value) {
        return value.matches("[\\w./:,-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
    }
}
