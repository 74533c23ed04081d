// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;

/**
 * The methods of a service that have one name, named by a reference: renaming one finds it here, and what refers to one that is gone does
 * not compile. What only its own package may see is named in an interface beside it, such as {@code io.chargeonce.database.RelaySeams}.
 *
 * @param descriptor of the one that is referred to
 */
public record Seam(String type, String method, String descriptor) {

    public interface Of0 extends Serializable {
        void call() throws Throwable;
    }

    public interface Of1<A> extends Serializable {
        void call(A first) throws Throwable;
    }

    public interface Of2<A, B> extends Serializable {
        void call(A first, B second) throws Throwable;
    }

    public interface Of3<A, B, C> extends Serializable {
        void call(A first, B second, C third) throws Throwable;
    }

    public interface Of4<A, B, C, D> extends Serializable {
        void call(A first, B second, C third, D fourth) throws Throwable;
    }

    public interface Of5<A, B, C, D, E> extends Serializable {
        void call(A first, B second, C third, D fourth, E fifth) throws Throwable;
    }

    public interface Of6<A, B, C, D, E, F> extends Serializable {
        void call(A first, B second, C third, D fourth, E fifth, F sixth) throws Throwable;
    }

    public interface Of10<A, B, C, D, E, F, G, H, I, J> extends Serializable {
        void call(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j) throws Throwable;
    }

    public static Seam at(Of0 method) {
        return of(method);
    }

    public static <A> Seam at(Of1<A> method) {
        return of(method);
    }

    public static <A, B> Seam at(Of2<A, B> method) {
        return of(method);
    }

    public static <A, B, C> Seam at(Of3<A, B, C> method) {
        return of(method);
    }

    public static <A, B, C, D> Seam at(Of4<A, B, C, D> method) {
        return of(method);
    }

    public static <A, B, C, D, E> Seam at(Of5<A, B, C, D, E> method) {
        return of(method);
    }

    public static <A, B, C, D, E, F> Seam at(Of6<A, B, C, D, E, F> method) {
        return of(method);
    }

    public static <A, B, C, D, E, F, G, H, I, J> Seam at(Of10<A, B, C, D, E, F, G, H, I, J> method) {
        return of(method);
    }

    private static Seam of(Serializable reference) {
        try {
            Method replace = reference.getClass().getDeclaredMethod("writeReplace");
            replace.setAccessible(true);
            var named = (SerializedLambda) replace.invoke(reference);
            if (named.getImplMethodName().startsWith("lambda$")) {
                throw new IllegalArgumentException("Bug! A place is a reference to a method, and no lambda");
            }
            return new Seam(named.getImplClass().replace('/', '.'), named.getImplMethodName(), named.getImplMethodSignature());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! A reference does not say its method", e);
        }
    }

    @Override
    public String toString() {
        return type.substring(type.lastIndexOf('.') + 1) + "." + method;
    }
}
