// SPDX-License-Identifier: Apache-2.0
/**
 * The queue, runs, stories and the audit trail as JSON: what commands print with --json, and what the console answers.
 * May know the rooms that it shows, and no terminal.
 */
package io.chargeonce.dlq.json;
