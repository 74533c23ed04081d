// SPDX-License-Identifier: Apache-2.0
/** {@code ./chargeonce bench}: this pipeline beside its peers and the raw limits, over the same broker, Postgres and PSP stub. */
package io.chargeonce.bench;
