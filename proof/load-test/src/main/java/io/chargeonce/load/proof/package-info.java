// SPDX-License-Identifier: Apache-2.0
/** All proofs of one commit, one unit after the other, each put on record when it has ended. Calls what the single commands call. */
package io.chargeonce.load.proof;
