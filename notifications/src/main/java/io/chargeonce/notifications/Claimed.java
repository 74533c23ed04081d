// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

/** A message that this process has claimed: one try of it. */
public interface Claimed {

    /** The same for each try. */
    String id();

    /** This try's number, from 1. */
    int attempt();

    /** Of this claim. A later claim raises it, and so does a person who begins the message again. */
    long fence();

    /** For the log. */
    String named();
}
