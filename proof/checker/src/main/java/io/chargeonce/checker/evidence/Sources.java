// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** Where a check reads: the running pipeline that its evidence names, or a model of one. For one thread. */
public interface Sources {

    static Sources of(CheckEvidence evidence) {
        return new RunningPipeline(evidence);
    }

    /** A connection that finds the tables by their names; the check closes it. */
    Connection database() throws SQLException;

    /** The check closes them. */
    TopicNames topics();

    /** Every movement of money with the name of the PSP whose ledger has it, oldest first. */
    void eachMovement(BiConsumer<String, JsonNode> action);

    /** Every dispute of every PSP, as it stands now. */
    void eachDispute(Consumer<JsonNode> action);

    /** What a service says about itself, in Prometheus's text format. */
    String metrics(URI service);

    /** Every request that a PSP has kept. */
    void eachRequest(Consumer<JsonNode> action);
}
