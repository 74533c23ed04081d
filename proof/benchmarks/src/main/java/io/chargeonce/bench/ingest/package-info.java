// SPDX-License-Identifier: Apache-2.0
/** The ingest bench: payments durably accepted a second over real HTTP. */
package io.chargeonce.bench.ingest;
