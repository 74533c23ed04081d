// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

/**
 * One way of telling others what happened.
 *
 * @param noun  a message: the key of its rows, its functions in Postgres and its metrics are named after it
 * @param table the rows of its messages
 * @param sent  the state of a message that was taken
 * @param again the command that begins a dead message again
 */
public record Channel(String noun, String table, String sent, String again) {}
