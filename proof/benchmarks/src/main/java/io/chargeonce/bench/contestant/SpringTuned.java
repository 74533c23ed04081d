// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

/** The same with a listener thread for each partition: more would have nothing to do. */
final class SpringTuned implements Contestant {

    private static final SpringApplication.Setup SETUP = new SpringApplication.Setup("spring-tuned", 12, 500, 16);

    @Override
    public String name() {
        return SETUP.name();
    }

    @Override
    public String about() {
        return "the same with a thread for each of the 12 partitions";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return SpringApplication.start(arena, SETUP, SpringListener.class);
    }
}
