// SPDX-License-Identifier: Apache-2.0
/**
 * One dead letter or payment as a whole: its history, who did what, its record edited, exported, imported.
 * May know query.
 */
package io.chargeonce.dlq.story;
