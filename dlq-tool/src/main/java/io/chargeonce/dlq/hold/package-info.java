// SPDX-License-Identifier: Apache-2.0
/**
 * Pauses a PSP, a merchant or a tier, forces a PSP, and resumes them: for the command line and for the console.
 * May know the root, query and waiting.
 */
package io.chargeonce.dlq.hold;
