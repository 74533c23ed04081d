// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static io.chargeonce.load.plant.Place.at;

import io.chargeonce.load.plant.Change;
import io.chargeonce.load.plant.Place;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** Places that only this package may name. */
public interface RelayPlaces {

    Place NOTE_WAIT = at(DatabaseRetry::noteWait);
    Place SEND = at(OutboxSender::send);
    Place FAILURE = at(OutboxSender::failure);
    Place REPLACE_PRODUCER = at(RelayProducer::replace);

    /** By frontier. */
    Map<Object, Long> LAST_IDS = Collections.synchronizedMap(new WeakHashMap<>());

    /** What has a later id than all that was read before. */
    Change READ_LATER = Change.<List<Outbox.Staged>>result(at(Outbox::read), (call, rows) -> {
        Object frontier = call.argument(2);
        List<Outbox.Staged> later = rows.stream().filter(row -> row.id() > LAST_IDS.getOrDefault(frontier, 0L)).toList();
        later.forEach(row -> LAST_IDS.merge(frontier, row.id(), Math::max));
        return later;
    });
}
