// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.bank.sftp.SftpSession;
import io.chargeonce.charge.webhook.WebhookServer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.database.RelaySeams;
import io.chargeonce.ingest.IngestSeams;
import io.chargeonce.ingest.intake.IntakeSeams;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.LoopSeams;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.load.plant.Seam;
import io.chargeonce.load.plant.Seam.Of4;
import io.chargeonce.load.universe.SimulationHooks;
import io.chargeonce.load.universe.kernel.Blocking;
import io.chargeonce.notifications.DeliverySeams;
import io.chargeonce.notifications.receipt.ReceiptSeams;
import io.chargeonce.notifications.webhook.WebhookSeams;
import io.chargeonce.psp.http.PspHttp;
import io.chargeonce.runtime.Worker;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Turns the services' classes into ones that ask the universe for the time, for threads and for all that is outside of a process. Calls
 * of the JDK, and references to them, become calls of the same form; the few methods that reach out of the process get another body. A
 * class that calls {@link Outside} in a way that nothing here replaces is refused.
 */
final class Rewriting {

    private static final String BLOCKING = Type.getInternalName(Blocking.class);
    private static final String WORKER = Type.getInternalName(Worker.class);
    private static final Set<String> CATCH_ALL = Set.of("java/lang/Throwable", "java/lang/Error");
    /** They make what each run of the JVM walks over in another order. */
    private static final Set<String> SALTED = Set.of("java/util/Set.of", "java/util/Map.of", "java/util/Map.ofEntries");
    private static final String RELAY = Type.getInternalName(OutboxRelay.class);

    /** By owner, name and descriptor: the name of the method to call instead, which takes the receiver first. */
    private static final Map<String, String> CALLS = Map.ofEntries(
            Map.entry("java/lang/Thread.sleep(Ljava/time/Duration;)V", "sleep"),
            Map.entry("java/lang/Thread.join(Ljava/time/Duration;)Z", "join"),
            Map.entry("java/lang/Thread.join()V", "join"),
            Map.entry("java/lang/Thread$Builder$OfVirtual.start(Ljava/lang/Runnable;)Ljava/lang/Thread;", "start"),
            Map.entry("java/lang/Thread$Builder$OfPlatform.start(Ljava/lang/Runnable;)Ljava/lang/Thread;", "start"),
            Map.entry("java/util/concurrent/Executors.newVirtualThreadPerTaskExecutor()Ljava/util/concurrent/ExecutorService;", "executor"),
            Map.entry("java/util/concurrent/Executors.newCachedThreadPool(Ljava/util/concurrent/ThreadFactory;)"
                    + "Ljava/util/concurrent/ExecutorService;", "executor"),
            Map.entry("java/util/concurrent/Executors.newSingleThreadScheduledExecutor(Ljava/util/concurrent/ThreadFactory;)"
                    + "Ljava/util/concurrent/ScheduledExecutorService;", "timers"),
            Map.entry("java/util/concurrent/ScheduledExecutorService.schedule(Ljava/lang/Runnable;JLjava/util/concurrent/TimeUnit;)"
                    + "Ljava/util/concurrent/ScheduledFuture;", "schedule"),
            Map.entry("java/util/concurrent/ScheduledExecutorService.schedule"
                    + "(Ljava/util/concurrent/Callable;JLjava/util/concurrent/TimeUnit;)"
                    + "Ljava/util/concurrent/ScheduledFuture;",
                    "schedule"),
            Map.entry("java/util/concurrent/ScheduledExecutorService.scheduleWithFixedDelay(Ljava/lang/Runnable;JJ"
                    + "Ljava/util/concurrent/TimeUnit;)Ljava/util/concurrent/ScheduledFuture;", "scheduleWithFixedDelay"),
            Map.entry("java/lang/Thread$Builder$OfPlatform.factory()Ljava/util/concurrent/ThreadFactory;", "factory"),
            Map.entry("java/util/concurrent/Semaphore.acquireUninterruptibly()V", "acquireUninterruptibly"),
            Map.entry("java/util/concurrent/locks/LockSupport.parkNanos(J)V", "parkNanos"),
            Map.entry("java/util/concurrent/ExecutorService.awaitTermination(JLjava/util/concurrent/TimeUnit;)Z", "awaitTermination"),
            Map.entry("java/util/concurrent/ExecutorService.invokeAll(Ljava/util/Collection;)Ljava/util/List;", "invokeAll"),
            Map.entry("java/util/concurrent/Semaphore.tryAcquire(JLjava/util/concurrent/TimeUnit;)Z", "tryAcquire"),
            Map.entry("java/util/concurrent/CountDownLatch.await(JLjava/util/concurrent/TimeUnit;)Z", "await"),
            Map.entry("java/util/concurrent/CountDownLatch.await()V", "await"),
            Map.entry("java/util/concurrent/CompletableFuture.join()Ljava/lang/Object;", "join"),
            Map.entry("java/util/concurrent/Future.get()Ljava/lang/Object;", "get"),
            Map.entry("java/util/concurrent/CompletableFuture.get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;", "get"),
            Map.entry("java/net/http/HttpClient.newBuilder()Ljava/net/http/HttpClient$Builder;", "noHttp"),
            Map.entry("java/lang/Runtime.addShutdownHook(Ljava/lang/Thread;)V", "addShutdownHook"),
            Map.entry("java/lang/Runtime.removeShutdownHook(Ljava/lang/Thread;)Z", "removeShutdownHook"),
            Map.entry("java/util/Set.copyOf(Ljava/util/Collection;)Ljava/util/Set;", "copyOf"),
            Map.entry("java/util/Map.copyOf(Ljava/util/Map;)Ljava/util/Map;", "copyOf"),
            Map.entry("java/lang/System.nanoTime()J", "nanoTime"),
            Map.entry("java/time/Instant.now()Ljava/time/Instant;", "now"),
            Map.entry("java/time/InstantSource.system()Ljava/time/InstantSource;", "system"),
            Map.entry("java/net/InetAddress.getByName(Ljava/lang/String;)Ljava/net/InetAddress;", "literal"),
            Map.entry("java/util/UUID.randomUUID()Ljava/util/UUID;", "randomUUID"));

    /** @param argument which local variable the stand-in is given first, if it takes any */
    private record StandIn(Seam hook, int argument) {}

    /** By place. */
    private static final Map<String, StandIn> BODIES = Map.ofEntries(
            body(at((Of4<String, String, String, Integer>) Database::open), at(SimulationHooks::database), 0),
            body(at(ConsumerSettings::newConsumer), at(SimulationHooks::consumer), 0),
            body(at(ProducerSettings::newProducer), at(SimulationHooks::producer), 0),
            body(at(KafkaConnection::newReader), at(SimulationHooks::reader), 0),
            body(at(KafkaConnection::newAdmin), at(SimulationHooks::admin), 0),
            body(LoopSeams.AWAIT_QUIET, at(SimulationHooks::awaitQuiet), 0),
            body(at(LoopSettings::buffer), at(SimulationHooks::buffer), 0),
            body(IngestSeams.START_HTTP, at(SimulationHooks::door), 3),
            body(at(PspHttp::exchange), at(SimulationHooks::exchange), 1),
            body(at(WebhookServer::startWithPatience), at(SimulationHooks::webhooks), 1),
            body(RelaySeams.NOTE_WAIT, at(SimulationHooks::noteWait), 0),
            body(at(DatabaseRetry::waitedAgo), at(SimulationHooks::waitedAgo), 0),
            body(WebhookSeams.EXCHANGE, at(SimulationHooks::receive), 0),
            body(WebhookSeams.LOOK_UP, at(SimulationHooks::addressesOf), 0),
            body(ReceiptSeams.PLAIN_SOCKET, at(SimulationHooks::socket), 0),
            body(at(SftpSession::open), at(SimulationHooks::bankSession), 0),
            body(DeliverySeams.CHANCE, at(SimulationHooks::luck), 0),
            body(IntakeSeams.EXISTING, at(SimulationHooks::intakeTopics), 0));

    private static Map.Entry<String, StandIn> body(Seam of, Seam hook, int argument) {
        return Map.entry(of.type().replace('.', '/') + "." + of.method(), new StandIn(hook, argument));
    }

    private Rewriting() {}

    /**
     * @param put told of every substitution that was made, by what was replaced
     * @throws Unsimulated if the class would reach out of its universe
     */
    static byte[] rewrite(byte[] original, Consumer<String> put) {
        var reader = new ClassReader(original);
        var writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Rewriter(writer, reader.getClassName(), put), 0);
        return writer.toByteArray();
    }

    /** Everything that this replaces, wherever it finds it. */
    static Set<String> replaced() {
        var all = new TreeSet<>(CALLS.keySet());
        all.addAll(BODIES.keySet());
        return all;
    }

    /** A class of a universe does what would make the universe hang, or differ each time it is played. */
    static final class Unsimulated extends LinkageError {

        Unsimulated(String message) {
            super(message);
        }
    }

    private static final class Rewriter extends ClassVisitor {

        private final String type;
        private final Consumer<String> put;

        Rewriter(ClassVisitor next, String type, Consumer<String> put) {
            super(Opcodes.ASM9, next);
            this.type = type;
            this.put = put;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            Optional<StandIn> standIn = Optional.ofNullable(BODIES.get(type + "." + name));
            int kept = standIn.isPresent() ? access & ~Opcodes.ACC_SYNCHRONIZED : access;
            MethodVisitor next = super.visitMethod(kept, name, descriptor, signature, exceptions);
            if (standIn.isEmpty()) {
                return new Calls(next, type, name, put);
            }
            put.accept(type + "." + name);
            write(next, standIn.get(), Type.getMethodType(descriptor).getReturnType());
            return null;
        }

        private static void write(MethodVisitor body, StandIn standIn, Type returned) {
            body.visitCode();
            Type[] taken = Type.getArgumentTypes(standIn.hook.descriptor());
            int local = standIn.argument;
            for (Type argument : taken) {
                body.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            body.visitMethodInsn(Opcodes.INVOKESTATIC, standIn.hook.type().replace('.', '/'), standIn.hook.method(),
                    standIn.hook.descriptor(), false);
            Type given = Type.getReturnType(standIn.hook.descriptor());
            if (returned.getSort() == Type.OBJECT && given == Type.VOID_TYPE) {
                body.visitInsn(Opcodes.ACONST_NULL);
            } else if (returned.getSort() == Type.OBJECT && !given.equals(returned)) {
                body.visitTypeInsn(Opcodes.CHECKCAST, returned.getInternalName());
            }
            body.visitInsn(returned.getOpcode(Opcodes.IRETURN));
            body.visitMaxs(0, 0);
            body.visitEnd();
        }
    }

    private static final class Calls extends MethodVisitor {

        private final String type;
        private final String method;
        private final Consumer<String> put;
        private final Set<Label> catchers = new HashSet<>();
        private boolean caught;

        Calls(MethodVisitor next, String type, String method, Consumer<String> put) {
            super(Opcodes.ASM9, next);
            this.type = type;
            this.method = method;
            this.put = put;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean onInterface) {
            Optional<Handle> other = inPlaceOf(opcode == Opcodes.INVOKESTATIC, owner, name, descriptor);
            if (other.isEmpty()) {
                super.visitMethodInsn(opcode, owner, name, descriptor, onInterface);
                if (SALTED.contains(owner + "." + name)) {
                    String made = Type.getReturnType(descriptor).getDescriptor();
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, BLOCKING, "unsalted", "(" + made + ")" + made, false);
                }
            } else {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, BLOCKING, other.get().getName(), other.get().getDesc(), false);
            }
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String thrown) {
            if (CATCH_ALL.contains(String.valueOf(thrown))) {
                catchers.add(handler);
            }
            super.visitTryCatchBlock(start, end, handler, thrown);
        }

        @Override
        public void visitLabel(Label label) {
            super.visitLabel(label);
            caught = caught || catchers.contains(label);
        }

        /** A catch begins with that: no code survives the end of its process by catching everything. */
        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (caught && opcode == Opcodes.ASTORE) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, BLOCKING, "passOnKilled", "(Ljava/lang/Throwable;)V", false);
            }
            caught = false;
            super.visitVarInsn(opcode, variable);
        }

        /** A reference to a method, as in {@code Instant::now}, is an argument of the instruction that makes the lambda. */
        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle maker, Object... arguments) {
            Object[] put = Arrays.stream(arguments).map(argument -> argument instanceof Handle handle
                    ? inPlaceOf(handle.getTag() == Opcodes.H_INVOKESTATIC, handle.getOwner(), handle.getName(), handle.getDesc())
                            .orElse(handle)
                    : argument).toArray();
            super.visitInvokeDynamicInsn(name, descriptor, maker, put);
        }

        private Optional<Handle> inPlaceOf(boolean isStatic, String owner, String name, String descriptor) {
            String call = owner + "." + name + descriptor;
            String other = CALLS.get(call);
            if (other == null) {
                if (Outside.isCalledBy(owner, name, descriptor)) {
                    throw new Unsimulated(
                            "%s.%s calls %s, which waits or asks the world outside of a universe: give it a substitution in %s.CALLS"
                                    .formatted(type.replace('/', '.'), method, call.replace('/', '.'), Rewriting.class.getSimpleName()));
                }
                return Optional.empty();
            }
            put.accept(call);
            String with = isStatic ? descriptor : "(L" + owner + ";" + descriptor.substring(1);
            String chosen = type.equals(RELAY) && name.equals("tryAcquire") ? "tryAcquireWhenStaged"
                    : type.equals(WORKER) && name.equals("await") ? "awaitLeisurely" : other;
            return Optional.of(new Handle(Opcodes.H_INVOKESTATIC, BLOCKING, chosen, with, false));
        }
    }
}
