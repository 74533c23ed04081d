// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import io.chargeonce.load.record.Results;
import io.chargeonce.load.record.Run;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * One kind of proof, in units of seconds or minutes.
 *
 * @param share how much of the time that is left when it begins it may use, beside what the later parts need
 * @param needs the time that is kept for it while earlier parts run
 * @param next  the unit that comes after those in the results; empty if there is no other
 */
record Part(double share, Duration needs, Function<Results, Optional<Callable<Run>>> next) {}
