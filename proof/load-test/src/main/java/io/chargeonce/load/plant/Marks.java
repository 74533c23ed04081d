// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.load.game.Reached;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;

/** The places of all bugs, without the bugs: {@link Reached} tells which of them run. */
public final class Marks implements Weaving {

    private final List<Plant.Change> changes = Arrays.stream(Plant.values()).flatMap(plant -> plant.changes().stream()).toList();

    @Override
    public boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.type().equals(type));
    }

    @Override
    public DynamicType.Builder<?> into(DynamicType.Builder<?> builder, String type) {
        DynamicType.Builder<?> marked = builder;
        for (Plant.Change change : changes) {
            marked = change.type().equals(type) ? put(change, marked) : marked;
        }
        return marked;
    }

    public Set<String> places() {
        return changes.stream().map(Plant.Change::place).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Before any other advice: one that leaves the method out would leave the mark out too. */
    static DynamicType.Builder<?> put(Plant.Change change, DynamicType.Builder<?> builder) {
        return builder.visit(Advice.withCustomMapping().bind(Place.class, change.place()).to(Mark.class)
                .on(ElementMatchers.named(change.method())));
    }

    /** Stands for the name of the place. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Place {
    }

    static final class Mark {
        @Advice.OnMethodEnter
        static void enter(@Place String place) {
            Reached.at(place);
        }
    }
}
