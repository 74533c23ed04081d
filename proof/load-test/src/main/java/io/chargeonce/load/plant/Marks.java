// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.load.game.Reached;
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

    private final List<PlantedChange> changes = Arrays.stream(Plant.values()).flatMap(plant -> plant.changes().stream()).toList();

    @Override
    public boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.place().type().equals(type));
    }

    @Override
    public DynamicType.Builder<?> into(DynamicType.Builder<?> builder, String type) {
        DynamicType.Builder<?> marked = builder;
        for (PlantedChange change : changes) {
            marked = change.place().type().equals(type) ? put(change.place(), marked) : marked;
        }
        return marked;
    }

    public Set<String> places() {
        return changes.stream().map(change -> change.place().toString()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Before any other advice: one that leaves the method out would leave the mark out too. */
    static DynamicType.Builder<?> put(Seam place, DynamicType.Builder<?> builder) {
        return builder.visit(Advice.withCustomMapping().bind(PlantedChange.Text.class, place.toString()).to(Mark.class)
                .on(ElementMatchers.named(place.method())));
    }

    static final class Mark {
        @Advice.OnMethodEnter
        static void enter(@PlantedChange.Text String place) {
            Reached.at(place);
        }
    }
}
