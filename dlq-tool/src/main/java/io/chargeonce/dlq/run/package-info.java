// SPDX-License-Identifier: Apache-2.0
/**
 * Sends dead letters back through the pipeline, in runs that are frozen in the database and led by one process at a time.
 * May know query, move, story's edited records, approval, and purge for a purge that another person approved.
 */
package io.chargeonce.dlq.run;
