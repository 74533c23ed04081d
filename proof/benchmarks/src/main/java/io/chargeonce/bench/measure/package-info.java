// SPDX-License-Identifier: Apache-2.0
/** What every bench stands on: the servers, process accounting, percentiles, the machine's fingerprint, kept results. */
package io.chargeonce.bench.measure;
