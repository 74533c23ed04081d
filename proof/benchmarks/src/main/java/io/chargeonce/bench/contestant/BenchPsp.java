// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

/** How a contestant reaches the PSP: in this process, or over HTTP. Any thread. */
public interface BenchPsp {

    /** Returns the PSP's reference. Blocks as long as a real call would; a repeated key executes nothing again. */
    String charge(String key, String payment);

    /** Whether this call is answered with an error and executes nothing. */
    default boolean fails(String payment) {
        return false;
    }

    /** Whether this key was executed. */
    default boolean knows(String key) {
        return true;
    }
}
