// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.game;

import io.chargeonce.checker.CheckVerdict;
import java.util.List;
import java.util.Map;

/**
 * The end of one universe.
 *
 * @param hash   of every step; equal for equal seeds
 * @param trace  each step, with the microseconds since the beginning; equal for equal seeds
 * @param events what was done to it, in order, with its own time
 * @param done   how often each fault was done to it, and how often a process died in each place
 */
public record Played(long seed, CheckVerdict verdict, long hash, long steps, List<String> trace, List<String> events,
        Map<String, Integer> done) {}
