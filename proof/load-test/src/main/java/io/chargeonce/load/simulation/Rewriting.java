// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

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

    private static final String BLOCKING = "io/chargeonce/load/universe/kernel/Blocking";
    private static final String STAND_INS = "io/chargeonce/load/universe/SimulationHooks";
    private static final String WORKER = "io/chargeonce/runtime/Worker";
    private static final Set<String> CATCH_ALL = Set.of("java/lang/Throwable", "java/lang/Error");
    /** They make what each run of the JVM walks over in another order. */
    private static final Set<String> SALTED = Set.of("java/util/Set.of", "java/util/Map.of", "java/util/Map.ofEntries");
    private static final String RELAY = "io/chargeonce/database/OutboxRelay";

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
            Map.entry("java/net/InetAddress.getAllByName(Ljava/lang/String;)[Ljava/net/InetAddress;", "literals"),
            Map.entry("java/util/UUID.randomUUID()Ljava/util/UUID;", "randomUUID"));

    /** @param argument which local variable the stand-in is given; none if negative */
    private record StandIn(String method, int argument, String descriptor) {}

    private static final Map<String, StandIn> BODIES = Map.ofEntries(
            Map.entry("io/chargeonce/database/Database.open", new StandIn("database", -1, "()Lio/chargeonce/database/Database;")),
            Map.entry("io/chargeonce/kafka/ConsumerSettings.newConsumer", new StandIn("consumer", 0,
                    "(Lio/chargeonce/kafka/ConsumerSettings;)Lorg/apache/kafka/clients/consumer/Consumer;")),
            Map.entry("io/chargeonce/kafka/ProducerSettings.newProducer",
                    new StandIn("producer", -1, "()Lorg/apache/kafka/clients/producer/Producer;")),
            Map.entry("io/chargeonce/kafka/KafkaConnection.newReader",
                    new StandIn("reader", -1, "()Lorg/apache/kafka/clients/consumer/Consumer;")),
            Map.entry("io/chargeonce/kafka/KafkaConnection.newAdmin", new StandIn("admin", -1, "()Lorg/apache/kafka/clients/admin/Admin;")),
            Map.entry("io/chargeonce/kafka/loop/PartitionWork.awaitQuiet", new StandIn("awaitQuiet", 0, "(Ljava/lang/Object;J)Z")),
            Map.entry("io/chargeonce/kafka/loop/LoopSettings.buffer",
                    new StandIn("buffer", -1, "()Lio/chargeonce/kafka/loop/BufferLimit;")),
            Map.entry("io/chargeonce/ingest/IngestService.startHttp", new StandIn("door", 3, "(Ljava/lang/Object;)V")),
            Map.entry("io/chargeonce/psp/http/BoundedHttp.exchange",
                    new StandIn("exchange", 1, "(Ljava/net/http/HttpRequest;)Ljava/net/http/HttpResponse;")),
            Map.entry("io/chargeonce/charge/webhook/WebhookServer.startWithPatience",
                    new StandIn("webhooks", 1, "(Ljava/lang/Object;)Ljava/lang/Object;")),
            Map.entry("io/chargeonce/database/DatabaseRetry.noteWait", new StandIn("noteWait", -1, "()V")),
            Map.entry("io/chargeonce/database/DatabaseRetry.waitedAgo", new StandIn("waitedAgo", -1, "()Ljava/util/Optional;")),
            Map.entry("io/chargeonce/webhooks/HttpPost.exchange", new StandIn("receive", 2,
                    "(Lorg/apache/hc/client5/http/classic/methods/HttpUriRequestBase;"
                            + "Lorg/apache/hc/client5/http/protocol/HttpClientContext;"
                            + "Lorg/apache/hc/core5/http/io/HttpClientResponseHandler;)Ljava/lang/Object;")),
            Map.entry("io/chargeonce/receipts/WatchedSockets.plain", new StandIn("socket", -1, "()Ljava/net/Socket;")),
            Map.entry("io/chargeonce/bank/sftp/SftpSession.open",
                    new StandIn("bankSession", -1, "()Lio/chargeonce/bank/sftp/BankSession;")),
            Map.entry("io/chargeonce/delivery/DeliverySchedule.chance", new StandIn("luck", -1, "()D")),
            Map.entry("io/chargeonce/ingest/intake/IntakeTopics.existing", new StandIn("intakeTopics", -1, "()Ljava/util/Set;")));

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
            Type[] taken = Type.getArgumentTypes(standIn.descriptor);
            int local = standIn.argument;
            for (Type argument : taken) {
                body.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            body.visitMethodInsn(Opcodes.INVOKESTATIC, STAND_INS, standIn.method, standIn.descriptor, false);
            Type given = Type.getReturnType(standIn.descriptor);
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
