// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Seam;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** What only this package may name. */
public interface RelaySeams {

    Seam NOTE_WAIT = at(DatabaseRetry::noteWait);
    Seam SEND = at(OutboxSender::send);
    Seam FAILURE = at(OutboxSender::failure);
    Seam REPLACE_PRODUCER = at(RelayProducer::replace);

    /** By frontier. */
    Map<Object, Long> LAST_IDS = Collections.synchronizedMap(new WeakHashMap<>());

    /** What has a later id than all that was read before. */
    PlantedChange READ_LATER = PlantedChange.<List<Outbox.Staged>>result(at(Outbox::read), (call, rows) -> {
        Object frontier = call.argument(2);
        List<Outbox.Staged> later = rows.stream().filter(row -> row.id() > LAST_IDS.getOrDefault(frontier, 0L)).toList();
        later.forEach(row -> LAST_IDS.merge(frontier, row.id(), Math::max));
        return later;
    });
}
