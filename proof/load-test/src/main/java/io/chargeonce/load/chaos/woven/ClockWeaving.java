// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Turns what the services' classes ask of the system's wall clock into questions to {@link ShiftedClock}. */
final class ClockWeaving {

    private static final String SHIFTED = "io/chargeonce/load/chaos/woven/ShiftedClock";
    /** By owner, name and descriptor: each a static method without arguments, and so is its stand-in of the same name. */
    private static final Set<String> CALLS = Set.of(
            "java/lang/System.currentTimeMillis()J",
            "java/time/Instant.now()Ljava/time/Instant;",
            "java/time/InstantSource.system()Ljava/time/InstantSource;",
            "java/time/Clock.systemUTC()Ljava/time/Clock;");
    /** What ships; what proves keeps the right time. */
    private static final Pattern OURS = Pattern.compile(
            "io/chargeonce/(?!load/|sandbox/|checker/|standalone/|bench/|conformance/|client/).*\\.class");

    private ClockWeaving() {}

    /** Those of the class path that ask for the time; by name with dots. */
    static Set<String> askers() {
        var askers = new TreeSet<String>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            read(Path.of(entry), (name, original) -> {
                if (weave(original) != original) {
                    askers.add(name.replace(".class", "").replace('/', '.'));
                }
            });
        }
        return askers;
    }

    private static void read(Path entry, BiConsumer<String, byte[]> each) {
        try {
            if (Files.isDirectory(entry)) {
                try (Stream<Path> files = Files.walk(entry)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        String name = entry.relativize(file).toString().replace(File.separatorChar, '/');
                        if (OURS.matcher(name).matches()) {
                            each.accept(name, Files.readAllBytes(file));
                        }
                    }
                }
            } else if (Files.exists(entry) && entry.toString().endsWith(".jar")) {
                try (var jar = new JarFile(entry.toFile())) {
                    for (var file : jar.stream().filter(one -> OURS.matcher(one.getName()).matches()).toList()) {
                        try (InputStream in = jar.getInputStream(file)) {
                            each.accept(file.getName(), in.readAllBytes());
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the class path cannot be read: " + entry, e);
        }
    }

    /** Returns the very same bytes if the class asks for no time. */
    static byte[] weave(byte[] original) {
        var reader = new ClassReader(original);
        var writer = new ClassWriter(reader, 0);
        var calls = new Calls(writer);
        reader.accept(calls, 0);
        return calls.changed ? writer.toByteArray() : original;
    }

    private static final class Calls extends ClassVisitor {
        private boolean changed;

        Calls(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, exceptions)) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String form, boolean onInterface) {
                    if (opcode == Opcodes.INVOKESTATIC && CALLS.contains(owner + "." + called + form)) {
                        changed = true;
                        super.visitMethodInsn(opcode, SHIFTED, called, form, false);
                    } else {
                        super.visitMethodInsn(opcode, owner, called, form, onInterface);
                    }
                }
            };
        }
    }
}
