// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;

/**
 * Checks that all that {@link Rewriting} replaces is there, in the classes that a universe can come to load.
 * Otherwise a renamed method would reach out of its universe unnoticed.
 */
final class Substitutions {

    private static final int CLASS = 7;
    /** The services do not change while this runs. */
    private static boolean checked;

    private Substitutions() {}

    /** @throws IllegalStateException with what is nowhere */
    static synchronized void requireUsed() {
        if (!checked) {
            requireUsed(Rewriting.replaced());
            checked = true;
        }
    }

    static void requireUsed(Set<String> replaced) {
        var unfound = new TreeSet<>(replaced);
        unfound.removeAll(found());
        if (!unfound.isEmpty()) {
            throw new IllegalStateException(
                    ("the simulation does not start: it replaces %s, which no class of the services calls or has any more; correct the "
                            + "table in %s")
                            .formatted(String.join(", ", unfound), Rewriting.class.getSimpleName()));
        }
    }

    /** Follows the names of classes from the universe's own on. */
    private static Set<String> found() {
        var files = ClassFileLocator.ForClassLoader.of(Substitutions.class.getClassLoader());
        var found = new HashSet<String>();
        var seen = new HashSet<String>();
        var next = new ArrayDeque<String>(Set.of(UniverseLoader.UNIVERSE));
        for (String name = next.poll(); name != null; name = next.poll()) {
            if (UniverseLoader.isInside(name) && seen.add(name)) {
                byte[] bytes = read(files, name);
                if (bytes.length > 0) {
                    put(name, bytes, found);
                    next.addAll(namedIn(new ClassReader(bytes)));
                }
            }
        }
        return found;
    }

    private static void put(String name, byte[] bytes, Set<String> found) {
        try {
            if (!UniverseLoader.isOurs(name)) {
                Rewriting.rewrite(bytes, found::add);
            }
        } catch (Rewriting.Unsimulated onlyIfItIsLoaded) {
            // Told then: most of what can be loaded never is.
        }
    }

    private static byte[] read(ClassFileLocator files, String name) {
        try {
            ClassFileLocator.Resolution file = files.locate(name);
            return file.isResolved() ? file.resolve() : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> namedIn(ClassReader reader) {
        var named = new HashSet<String>();
        var buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int at = reader.getItem(i);
            if (at > 0 && reader.readByte(at - 1) == CLASS) {
                named.add(reader.readUTF8(at, buffer).replace('/', '.'));
            }
        }
        return named;
    }
}
