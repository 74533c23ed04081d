// SPDX-License-Identifier: Apache-2.0
/**
 * What the topics say: compared with the tables and repaired, their seals, and dead letters of a foreign topic.
 * May know query and story.
 */
package io.chargeonce.dlq.topic;
