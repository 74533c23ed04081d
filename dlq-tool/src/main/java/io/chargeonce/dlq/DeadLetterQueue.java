package io.chargeonce.dlq;

import io.chargeonce.database.Database;
import io.chargeonce.wire.Topics;

/** Where the dead letters are: the database that holds their state, and the topics that changes are staged for. */
public record DeadLetterQueue(Database database, Topics topics) {}
