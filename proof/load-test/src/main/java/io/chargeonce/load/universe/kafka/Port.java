// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Gives a model the face of one of Kafka's wide interfaces: a method that the model does not have must not be called. */
final class Port {

    private static final Map<Class<?>, Map<Method, Optional<Method>>> KNOWN = new ConcurrentHashMap<>();

    private Port() {}

    @SuppressWarnings("unchecked") // The proxy implements exactly this interface.
    static <T> T of(Class<?> face, Object model) {
        Map<Method, Optional<Method>> methods = KNOWN.computeIfAbsent(model.getClass(), type -> new ConcurrentHashMap<>());
        return (T) Proxy.newProxyInstance(Port.class.getClassLoader(), new Class<?>[] {face}, (proxy, called, arguments) -> {
            Method known = methods.computeIfAbsent(called, method -> find(model.getClass(), method))
                    .orElseThrow(() -> new UnsupportedOperationException("Bug! The model knows nothing of " + called));
            try {
                return known.invoke(model, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private static Optional<Method> find(Class<?> type, Method called) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(own -> own.getName().equals(called.getName()) && Arrays.equals(own.getParameterTypes(), called.getParameterTypes()))
                .findFirst();
    }
}
