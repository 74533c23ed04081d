// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import io.chargeonce.database.Database;
import io.chargeonce.load.plant.PlantedChange;
import io.chargeonce.load.plant.Plant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Writes crash points, clocks that can be put wrong, and at most one planted bug into the classes that they belong in, and keeps
 * those in a jar: a process that finds it first on its class path runs them. So a bug can be planted that the shipped code has
 * no switch for. For one thread.
 */
public final class Weaver {

    private static final String DATABASE = Database.class.getName();

    private final Optional<Plant> plant;
    private final ClassFileLocator files = ClassFileLocator.ForClassLoader.of(Weaver.class.getClassLoader());
    private final TypePool types = TypePool.Default.of(files);

    private Weaver(Optional<Plant> plant) {
        this.plant = plant;
    }

    public static void write(Path jar, Optional<Plant> plant) {
        var weaver = new Weaver(plant);
        Set<String> names = new TreeSet<>(plant.map(Plant::types).orElse(Set.of()));
        Arrays.stream(CrashPoint.values()).forEach(point -> names.add(point.place.type()));
        names.add(DATABASE);
        names.addAll(ClockWeaving.askers());
        try (var file = new JarOutputStream(Files.newOutputStream(jar))) {
            for (String name : names) {
                file.putNextEntry(new JarEntry(name.replace('.', '/') + ".class"));
                file.write(ClockWeaving.weave(weaver.woven(name)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] woven(String name) {
        TypeDescription type = types.describe(name).resolve();
        DynamicType.Builder<?> builder = new ByteBuddy().redefine(type, files);
        if (plant.isPresent()) {
            builder = plant.get().into(builder, name);
        }
        for (CrashPoint point : CrashPoint.values()) {
            if (point.place.type().equals(name)) {
                Class<?> advice = point.side == CrashPoint.Side.ENTER ? Enter.class : Exit.class;
                builder = builder.visit(Advice.withCustomMapping().bind(PlantedChange.Text.class, point.tag()).to(advice)
                        .on(ElementMatchers.named(point.place.method())));
            }
        }
        if (name.equals(DATABASE)) {
            builder = builder.visit(Advice.to(Shortening.class).on(ElementMatchers.named("prepare")));
        }
        return builder.make().getBytes();
    }

    static final class Shortening {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) String statements) {
            statements = ShortTransactions.inPlaceOf(statements);
        }
    }

    static final class Enter {
        @Advice.OnMethodEnter
        static void enter(@PlantedChange.Text String point) {
            CrashHere.ifArmed(point);
        }
    }

    static final class Exit {
        @Advice.OnMethodExit
        static void exit(@PlantedChange.Text String point) {
            CrashHere.ifArmed(point);
        }
    }
}
