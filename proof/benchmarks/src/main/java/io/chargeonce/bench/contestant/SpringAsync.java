// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

/** The same with a listener that returns futures, on virtual threads. */
public final class SpringAsync implements Contestant {

    private static final SpringApplication.Setup SETUP = new SpringApplication.Setup("spring-async", 6, 2_000, 32);

    @Override
    public String name() {
        return SETUP.name();
    }

    @Override
    public String about() {
        return "the same with a listener that returns futures, on virtual threads, 32 connections";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return SpringApplication.start(arena, SETUP, SpringAsyncListener.class);
    }
}
