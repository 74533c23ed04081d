// SPDX-License-Identifier: Apache-2.0
/**
 * Consumers of payment requests as good teams would write them, ours among them, and the PSP that they charge at.
 * Knows no benchmark. Start reading at {@link io.chargeonce.bench.contestant.Contestant}.
 */
package io.chargeonce.bench.contestant;
