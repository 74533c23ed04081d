// SPDX-License-Identifier: Apache-2.0
/** Another system's record on its way through the outbox, with the bytes that it came with. Knows nothing of the rest of the package. */
package io.chargeonce.database.raw;
