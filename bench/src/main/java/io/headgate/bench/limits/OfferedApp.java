package io.headgate.bench.limits;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.sun.management.OperatingSystemMXBean;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A small HTTP application in its own process, with a limiter or none. For each line of its input, it prints its resource usage. */
final class OfferedApp {

    /** The subject without a limiter. */
    static final String NONE = "none";

    static final String READY = "port ";

    private OfferedApp() {}

    /** Runs until its input ends; the arguments are the subject, the URL of Redis, permits and milliseconds. */
    public static void main(String[] arguments) throws IOException {
        Gate gate = gate(arguments);
        Server server = Server.builder()
                .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                // Its connections are idle during the turns of other subjects, and must not time out.
                .idleTimeoutMillis(0)
                .requestTimeoutMillis(0)
                .service("/hello/{user}", (context, request) -> hello(gate, context))
                .build();
        server.start().join();
        System.out.println(READY + server.activeLocalPort());
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (input.readLine() != null) {
            System.out.println(Usage.now());
        }
        System.exit(0);
    }

    private static Gate gate(String[] arguments) {
        if (arguments[0].equals(NONE)) {
            return new OpenGate();
        }
        Quota quota = new Quota(Long.parseLong(arguments[2]), Duration.ofMillis(Long.parseLong(arguments[3])));
        // With a client of its own, as in an application.
        HeadgateRedis engine = HeadgateRedis.of(HeadgateRedis.builder(arguments[1]));
        return Subjects.algorithm(arguments[0]).gate(engine, quota);
    }

    private static HttpResponse hello(Gate gate, ServiceRequestContext context) {
        String user = Objects.requireNonNull(context.pathParam("user"), "user");
        return HttpResponse.of(gate.tryAcquire(user)
                .thenApply(allowed -> allowed
                        ? HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, "hello " + user)
                        : HttpResponse.of(HttpStatus.TOO_MANY_REQUESTS)));
    }

    /** Allows every request. */
    private static final class OpenGate implements Gate {

        @Override
        public CompletableFuture<Boolean> tryAcquire(String key) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    /**
     * The processor time and the memory of a process.
     *
     * @param cpuNanos all processor time since it started
     * @param memoryBytes its memory after a garbage collection: heap, classes and code, and buffers outside of the heap
     */
    record Usage(long cpuNanos, long memoryBytes) {

        /** The usage of this process; the time of the garbage collection itself is included in the next usage only. */
        static Usage now() {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long cpuNanos = system.getProcessCpuTime();
            MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
            memory.gc();
            long bytes = memory.getHeapMemoryUsage().getUsed()
                    + memory.getNonHeapMemoryUsage().getUsed();
            for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                bytes += pool.getMemoryUsed();
            }
            return new Usage(cpuNanos, bytes);
        }

        /** The text form, which {@link #parse} reads in another process. */
        @Override
        public String toString() {
            return cpuNanos + " " + memoryBytes;
        }

        static Usage parse(String text) {
            String[] parts = text.split(" ");
            return new Usage(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
        }
    }
}
