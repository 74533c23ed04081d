// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * What a bug does in one place. A type that is not loaded at one level changes nothing there.
 *
 * @param advice what is written into the methods: it calls the code, or is all of it
 */
public record PlantedChange(Seam place, Class<?> advice, Function<Call, Object> code) {

    /**
     * A call of a method with a bug.
     *
     * @param self   null in a static method
     * @param result null before the call, and after one of a method that returns nothing
     */
    public record Call(Object self, Object[] arguments, Object result) {

        @SuppressWarnings("unchecked") // The place says what it takes.
        public <T> T argument(int index) {
            return (T) arguments[index];
        }
    }

    /** What it says is something else. */
    public static <R> PlantedChange result(Seam place, UnaryOperator<R> other) {
        return PlantedChange.<R>result(place, (call, result) -> other.apply(result));
    }

    @SuppressWarnings("unchecked") // The place says what it returns.
    public static <R> PlantedChange result(Seam place, BiFunction<Call, R, R> other) {
        return new PlantedChange(place, Result.class, call -> other.apply(call, (R) call.result()));
    }

    /** It gets something else. */
    public static <T> PlantedChange argument(Seam place, int index, UnaryOperator<T> other) {
        return new PlantedChange(place, Begin.class, call -> {
            call.arguments[index] = other.apply(call.<T>argument(index));
            return false;
        });
    }

    /** The whole method is left out. */
    public static PlantedChange leftOut(Seam place) {
        return leftOutIf(place, call -> true);
    }

    public static PlantedChange leftOutIf(Seam place, Predicate<Call> left) {
        return new PlantedChange(place, Begin.class, left::test);
    }

    /** For methods that return nothing. */
    public static PlantedChange afterwards(Seam place, Consumer<Call> does) {
        return new PlantedChange(place, End.class, call -> {
            does.accept(call);
            return null;
        });
    }

    /** @param advice reaches into what the object keeps for itself, and so is all of the bug */
    static PlantedChange written(Seam place, Class<?> advice) {
        return new PlantedChange(place, advice, call -> null);
    }

    /** Stands for a text that is known when the code is written in. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Text {
    }

    static final class Begin {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Text String change, @Advice.This(optional = true) Object self,
                             @Advice.AllArguments(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object[] arguments) {
            Object[] others = arguments;
            boolean leftOut = (boolean) Plant.run(change, self, others, null);
            arguments = others;
            return leftOut;
        }
    }

    static final class Result {
        @Advice.OnMethodExit
        static void exit(@Text String change, @Advice.This(optional = true) Object self, @Advice.AllArguments Object[] arguments,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            result = Plant.run(change, self, arguments, result);
        }
    }

    static final class End {
        @Advice.OnMethodExit
        static void exit(@Text String change, @Advice.This(optional = true) Object self, @Advice.AllArguments Object[] arguments) {
            Plant.run(change, self, arguments, null);
        }
    }
}
