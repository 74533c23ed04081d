// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.game;

/** Plays one universe after the other. One thread. */
public interface Game extends AutoCloseable {

    Played play(long seed);

    @Override
    void close();
}
