// SPDX-License-Identifier: Apache-2.0
/** The runs of proofs and drills that are on record, and the pages that are made of them. Knows nothing of how they are run. */
package io.chargeonce.load.record;
