// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

/** Spring Kafka with {@code @RetryableTopic} and JdbcTemplate, half as many listener threads as partitions. */
public final class SpringTypical implements Contestant {

    private static final SpringApplication.Setup SETUP = new SpringApplication.Setup("spring", 6, 500, 10);

    @Override
    public String name() {
        return SETUP.name();
    }

    @Override
    public String about() {
        return "Spring Kafka, @RetryableTopic, JdbcTemplate, 6 threads, one table, two commits a payment";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return SpringApplication.start(arena, SETUP, SpringListener.class);
    }
}
