// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * Starts before the first test of the class that registers it, ends after its last one, and ends all faults after each test. A static field
 * runs once for a class and its nested classes, an instance field once for each test.
 */
abstract sealed class RunsDuringTests implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AutoCloseable
        permits PspSimulators, ChargeoncePipeline {

    private static final Namespace OURS = Namespace.create(RunsDuringTests.class);

    /** JUnit before 5.13 closes the first kind of value, and warns of it from then on if it is not of the second kind too. */
    @SuppressWarnings("deprecation")
    private record ClosedByJunit(RunsDuringTests what) implements Store.CloseableResource, AutoCloseable {

        @Override
        public void close() {
            what.close();
        }
    }

    @Override
    public final void beforeAll(ExtensionContext context) {
        startFor(context);
    }

    @Override
    public final void beforeEach(ExtensionContext context) {
        startFor(context);
    }

    /** The store of a nested class or of a test also finds what its outer class has. */
    @SuppressWarnings("deprecation")
    private void startFor(ExtensionContext context) {
        context.getStore(OURS).getOrComputeIfAbsent(this, unstarted -> {
            start();
            return new ClosedByJunit(this);
        }, ClosedByJunit.class);
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        endFaults();
    }

    /** Without JUnit, or with another test framework: call this first, and {@link #close} at the end. */
    public abstract void start();

    /** Ends every fault, outage and delay of webhooks that was set at a simulator. */
    public abstract void endFaults();

    @Override
    public abstract void close();

    static IllegalStateException notRunning(Class<? extends RunsDuringTests> type) {
        return new IllegalStateException(("%1$s does not run. Register it in the test's class: @RegisterExtension static final %1$s name = "
                + "new %1$s(). Without JUnit, call start() first").formatted(type.getSimpleName()));
    }
}
