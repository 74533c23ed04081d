// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

/** How long operations took from one stage to the next, in the last hour. */
public record Latency(String from, String to, double p50Ms, double p99Ms, long count) {}
