package io.chargeonce.load.chaos;

import io.chargeonce.load.plant.Plant;
import java.io.File;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * The entry of every child process. Loads our own classes anew, with crash points and at most one planted bug written into them
 * on the way: so a bug can be planted that the shipped code has no switch for.
 */
public final class Weaver extends URLClassLoader {

    private final Optional<Plant> plant;
    private final ClassFileLocator files = ClassFileLocator.ForClassLoader.of(Weaver.class.getClassLoader());
    private final TypePool types = TypePool.Default.of(files);

    private Weaver(URL[] classPath, Optional<Plant> plant) {
        super(classPath, Weaver.class.getClassLoader());
        this.plant = plant;
    }

    public static void main(String[] arguments) throws Exception {
        Optional<Plant> plant = Optional.ofNullable(System.getProperty("chargeonce.plant")).map(Plant::fromTag);
        var weaver = new Weaver(classPath(), plant);
        Thread.currentThread().setContextClassLoader(weaver);
        dieWithParent();
        weaver.loadClass(ServiceMain.class.getName()).getMethod("main", String[].class).invoke(null, (Object) arguments);
    }

    private static URL[] classPath() throws MalformedURLException {
        var urls = new ArrayList<URL>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /** The parent holds the other end of our input; when it is gone, by whatever cause, so are we. */
    private static void dieWithParent() {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nobody writes to us; only the end counts.
                }
            } catch (IOException ended) {
                // The same.
            }
            Runtime.getRuntime().halt(143);
        });
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = name.startsWith("io.chargeonce.") ? weave(name) : super.loadClass(name, false);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    private Class<?> weave(String name) throws ClassNotFoundException {
        try {
            ClassFileLocator.Resolution file = files.locate(name);
            if (!file.isResolved()) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = woven(name, file.resolve());
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] woven(String name, byte[] bytes) {
        List<CrashPoint> points = List.of(CrashPoint.values()).stream().filter(point -> point.type.equals(name)).toList();
        boolean planted = plant.filter(bug -> bug.changes(name)).isPresent();
        if (points.isEmpty() && !planted) {
            return bytes;
        }
        TypeDescription type = types.describe(name).resolve();
        DynamicType.Builder<?> builder = new ByteBuddy().redefine(type, files);
        if (planted) {
            builder = plant.get().into(builder, name);
        }
        for (CrashPoint point : points) {
            Class<?> advice = point.side == CrashPoint.Side.ENTER ? Enter.class : Exit.class;
            builder = builder.visit(Advice.withCustomMapping().bind(Point.class, point.tag()).to(advice)
                    .on(ElementMatchers.named(point.method)));
        }
        return builder.make().getBytes();
    }

    /** Stands for the name of the place. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Point {}

    static final class Enter {
        @Advice.OnMethodEnter
        static void enter(@Point String point) {
            CrashHere.ifArmed(point);
        }
    }

    static final class Exit {
        @Advice.OnMethodExit
        static void exit(@Point String point) {
            CrashHere.ifArmed(point);
        }
    }
}
