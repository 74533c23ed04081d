package io.chargeonce.load.universe;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.merchants.TokenBook;
import io.chargeonce.load.game.Fault;
import io.chargeonce.runtime.SteadyClock;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The merchants' tokens: who may send is asked of the ingest service's own part for that, one in each process. For who has the turn. */
final class Tokens {

    /** What ingest promises. */
    static final Duration DEAD_AFTER = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private record Batch(Host host, String token) {}

    private final Kernel kernel;
    private final Map<String, TokenBook.NewToken> current = new HashMap<>();
    private final Map<String, Long> revokedAt = new HashMap<>();
    private final Map<Host, Object> doors = new HashMap<>();
    private final Map<Batch, Object> batches = new HashMap<>();

    Tokens(Kernel kernel) {
        this.kernel = kernel;
    }

    /** Before anything goes wrong. */
    void issue(List<String> merchants) {
        merchants.forEach(merchant -> current.put(merchant, book().add(merchant, TokenBook.Grant.USUAL).orElseThrow()));
    }

    String of(String merchant) {
        return current.get(merchant).secret();
    }

    private static TokenBook book() {
        return new TokenBook(StandIns.database(), "world");
    }

    /** @param stolen told of the old token when it is revoked */
    Map<Fault, Runnable> all(List<String> merchants, BiConsumer<String, String> stolen) {
        return Map.of(Fault.TOKEN, () -> {
            String merchant = merchants.get(kernel.random().nextInt(merchants.size()));
            kernel.spawn(kernel.world(), "rotation", () -> change(merchant, stolen));
        });
    }

    private void change(String merchant, BiConsumer<String, String> stolen) {
        TokenBook.NewToken old = current.get(merchant);
        kernel.tell("token changed", merchant + " changes its token");
        insist(() -> book().rotate(old.id(), Duration.ofHours(1))).ifPresent(fresh -> {
            current.put(merchant, fresh);
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(3)));
            stolen.accept(merchant, old.secret());
            kernel.sleep(kernel.between(Duration.ZERO, Duration.ofSeconds(3)));
            insist(() -> book().revoke(old.id()));
            revokedAt.put(old.secret(), kernel.now());
            kernel.tell("token revoked", "the old token of " + merchant + " is revoked");
        });
    }

    /** Until there is an answer: one that got lost is asked for again. */
    private <T> T insist(Supplier<T> change) {
        while (true) {
            try {
                return change.get();
            } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
                kernel.sleep(PATIENCE);
            }
        }
    }

    /** Whether a token that was used at this time should have been dead. */
    boolean isDead(String token, long at) {
        return Optional.ofNullable(revokedAt.get(token)).filter(revoked -> at > revoked + DEAD_AFTER.toNanos() / 1_000).isPresent();
    }

    /**
     * Asks in the process that has the turn.
     *
     * @param inABatch whether it comes within one that was begun with this token, if there is one
     */
    boolean lets(String token, boolean inABatch) {
        Host host = kernel.host();
        Object door = doors.computeIfAbsent(host, unseen -> Ingest.door());
        var batch = new Batch(host, token);
        Object begun = inABatch ? batches.get(batch) : null;
        Object checked = begun == null ? Ingest.call(Ingest.AUTHENTICATE, door, List.of("Bearer " + token), Scope.PAY, InetAddress.getLoopbackAddress())
                : Ingest.call(Ingest.AGAIN, door, begun, Scope.PAY, InetAddress.getLoopbackAddress());
        boolean right = checked.getClass().getSimpleName().equals("Right");
        if (right) {
            batches.putIfAbsent(batch, Ingest.call(Ingest.VALUE, checked));
        }
        return right;
    }

    /** The ingest service's own, which only its HTTP side may see otherwise. */
    private static final class Ingest {

        private static final Class<?> MERCHANTS = type("Merchants");
        static final Constructor<?> DOOR = constructor();
        static final Method AUTHENTICATE = method(MERCHANTS, "authenticate", List.class, Scope.class, InetAddress.class);
        static final Method AGAIN = method(MERCHANTS, "again", type("Credential"), Scope.class, InetAddress.class);
        static final Method VALUE = method(type("Checked$Right"), "value");

        static Object door() {
            try {
                return DOOR.newInstance(StandIns.database(), new SteadyClock());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Bug! The ingest service looks at tokens otherwise now", e);
            }
        }

        private static Class<?> type(String name) {
            try {
                return Class.forName(IngestService.class.getPackageName() + "." + name);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("Bug! The ingest service has no " + name + " any more", e);
            }
        }

        private static Constructor<?> constructor() {
            try {
                Constructor<?> constructor = MERCHANTS.getDeclaredConstructor(Database.class, InstantSource.class);
                constructor.setAccessible(true);
                return constructor;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("Bug! The ingest service looks at tokens otherwise now", e);
            }
        }

        private static Method method(Class<?> type, String name, Class<?>... parameters) {
            try {
                Method method = type.getDeclaredMethod(name, parameters);
                method.setAccessible(true);
                return method;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("Bug! The ingest service looks at tokens otherwise now", e);
            }
        }

        static Object call(Method method, Object on, Object... arguments) {
            try {
                return method.invoke(on, arguments);
            } catch (InvocationTargetException e) {
                switch (e.getCause()) {
                    case Error end -> throw end;
                    case RuntimeException failure -> throw failure;
                    default -> throw new IllegalStateException(e.getCause());
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
