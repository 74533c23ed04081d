// SPDX-License-Identifier: Apache-2.0
/**
 * What the checker looks at: the client's history, the rows, the topics, the PSPs' ledgers and the metrics of a pipeline, read and
 * never judged. Knows no invariant; a simulation hands in its own {@link io.chargeonce.checker.evidence.Sources}.
 */
package io.chargeonce.checker.evidence;
