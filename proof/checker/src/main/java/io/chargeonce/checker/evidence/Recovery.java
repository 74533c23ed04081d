// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What may be expected of a pipeline that is well, or well again: what is not at rest when the check is made never will be.
 *
 * @param since   when the last fault ended; a retry that fell due before may be late
 * @param latest  a retry that fell due afterwards starts so much after its time at most
 * @param mishaps how often the faults may have made a process send the same record again
 * @param copies  so many records were put on work topics again on purpose
 * @param lossless whether Kafka has lost no record, so that none may be staged again
 * @param metrics where services tell their heap, descriptors and threads
 */
public record Recovery(Instant since, Duration latest, long mishaps, long copies, boolean lossless,
        List<URI> metrics) {

    public Recovery {
        metrics = List.copyOf(metrics);
    }
}
