// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import java.time.Duration;

/**
 * What is recorded about a try.
 *
 * @param state waiting, dead, or the channel's word for what was taken
 * @param pause until the next try, of a waiting one
 */
public record Tried<M extends Claimed>(M message, SendResult answer, String state, Duration pause) {}
