// SPDX-License-Identifier: Apache-2.0
/**
 * Settlement reports as PSPs write them, read one line at a time. Knows their formats, and no table. A line that cannot be read is reported
 * and loses nothing else.
 */
package io.chargeonce.reconcile.report;
