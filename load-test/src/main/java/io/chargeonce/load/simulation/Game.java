package io.chargeonce.load.simulation;

/** Plays one universe after the other. One thread. */
public interface Game extends AutoCloseable {

    Played play(long seed);

    @Override
    void close();
}
