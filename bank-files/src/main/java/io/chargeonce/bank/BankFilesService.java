// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.database.Database;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Worker;
import java.time.Duration;
import java.util.ArrayList;

/** Sends files to banks and fetches theirs: two workers for each account. Wiring only. */
public final class BankFilesService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(60);
    private static final Duration LOOK_FOR_WORK = Duration.ofSeconds(1);
    /** To Postgres, of one process: a worker's lock has one, and its work another. */
    public static final int CONNECTIONS = 8;

    private BankFilesService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Neither Postgres nor a bank need answer yet. */
    public static Lifecycle start(BankFilesSettings settings, Meters meters) {
        PipelineSettings pipeline = settings.pipeline();
        var lifecycle = new Lifecycle("bank-files", TO_CLOSE_A_PART);
        var database = lifecycle.start("database", () -> Database.openForService(pipeline.databaseUrl(), pipeline.databaseUser(),
                pipeline.databasePassword(), Math.max(CONNECTIONS, 4 * settings.accounts().size())).countedBy(meters.registry()));
        Duration look = settings.poll().compareTo(LOOK_FOR_WORK) < 0 ? settings.poll() : LOOK_FOR_WORK;
        var workers = new ArrayList<Worker>();
        for (BankAccount account : settings.accounts()) {
            var outbound = new Outbound(account, database, settings.vault(), settings.until(), meters.registry());
            var inbound =
                    new Inbound(account, database, settings.vault(), settings.keys(), Inbound.LARGEST, settings.poll(), meters.registry());
            workers.add(lifecycle.start("outbound of " + account.name(), () -> Worker.start("bank-outbound", look, outbound::runOnce)
                    .countedBy(meters.registry())));
            workers.add(
                    lifecycle.start("inbound of " + account.name(), () -> Worker.start("bank-inbound", settings.poll(), inbound::runOnce)
                            .countedBy(meters.registry())));
        }
        pipeline.admin().ifPresent(address -> lifecycle.start("admin server", () -> {
            var admin = AdminServer.start(address, pipeline.adminToken(), meters::scrape).countedBy(meters.registry())
                    .ready("database", database::problem);
            workers.forEach(admin::watch);
            return admin;
        }));
        return lifecycle;
    }
}
