// SPDX-License-Identifier: Apache-2.0
/** The commands about merchants and their tokens. */
package io.chargeonce.ingest.terminal;
