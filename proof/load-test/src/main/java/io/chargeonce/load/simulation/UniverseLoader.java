// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Game;
import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.plant.Weaving;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/**
 * Loads the services' classes again, rewritten for a universe, with one bug planted at most, or all places of bugs marked.
 * What judges them is shared with the outside.
 */
final class UniverseLoader extends URLClassLoader {

    private static final List<String> SHARED =
            List.of("io.chargeonce.checker.", "io.chargeonce.load.simulation.", "io.chargeonce.load.game.");
    static final String UNIVERSE = "io.chargeonce.load.universe.Universe";
    private static final String INSIDE = "io.chargeonce.load.";
    private static final String PLANTS = "io.chargeonce.load.plant.";

    private final Optional<? extends Weaving> woven;
    private final ClassFileLocator files = ClassFileLocator.ForClassLoader.of(UniverseLoader.class.getClassLoader());
    private final TypePool types = TypePool.Default.of(files);

    UniverseLoader(Optional<? extends Weaving> woven) {
        super(classPath(), UniverseLoader.class.getClassLoader());
        Substitutions.requireUsed();
        this.woven = woven;
    }

    private static URL[] classPath() {
        var urls = new ArrayList<URL>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            try {
                urls.add(Path.of(entry).toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IllegalStateException("Bug! The class path holds " + entry, e);
            }
        }
        return urls.toArray(URL[]::new);
    }

    /**
     * @param jdbcUrl  a database with the schema {@code chargeonce}, for this game alone
     * @param sweeping whether the sweeper works
     * @param faults   what may go wrong at all
     */
    Game game(String jdbcUrl, SecretFiles secrets, boolean sweeping, Set<Fault> faults) {
        try {
            return (Game) loadClass(UNIVERSE).getConstructor(String.class, SecretFiles.class, boolean.class, Set.class)
                    .newInstance(jdbcUrl, secrets, sweeping, faults);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! The universe cannot be loaded", e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = isInside(name) ? define(name) : super.loadClass(name, false);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    static boolean isInside(String name) {
        return name.startsWith("io.chargeonce.") && SHARED.stream().noneMatch(name::startsWith);
    }

    /** Of the universe itself, which knows what it does; plants go into the services. */
    static boolean isOurs(String name) {
        return name.startsWith(INSIDE) && !name.startsWith(PLANTS);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try {
            ClassFileLocator.Resolution file = files.locate(name);
            if (!file.isResolved()) {
                throw new ClassNotFoundException(name);
            }
            byte[] planted = planted(name, file.resolve());
            byte[] bytes = isOurs(name) ? planted : Rewriting.rewrite(planted, call -> {});
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] planted(String name, byte[] bytes) {
        return woven.filter(bug -> bug.changes(name))
                .<byte[]>map(bug -> bug.into(new ByteBuddy().redefine(types.describe(name).resolve(), files), name).make().getBytes())
                .orElse(bytes);
    }
}
