package io.headgate.testkit.hostile;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The memory of a JVM on this machine at one moment.
 *
 * @param heapBytes the heap in use after a full collection: the least of three, because requests in progress also use heap
 * @param directBytes the direct buffers that are allocated
 * @param residentBytes the resident memory of the process; 0 where the system has no {@code /proc}
 */
public record ProcessMemory(long heapBytes, long directBytes, long residentBytes) {

    private static final int COLLECTIONS = 3;

    /** Collects the garbage of the process, and reads its memory through its management agent. */
    @SuppressWarnings("BanJNDI") // the attach API returns the address of a local process
    public static ProcessMemory of(long pid) {
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(agentUrl(pid)))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            MemoryMXBean memory = ManagementFactory.getPlatformMXBean(server, MemoryMXBean.class);
            long heap = Long.MAX_VALUE;
            for (int i = 0; i < COLLECTIONS; i++) {
                memory.gc();
                heap = Math.min(heap, memory.getHeapMemoryUsage().getUsed());
            }
            long direct = ManagementFactory.getPlatformMXBeans(server, BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
            return new ProcessMemory(heap, direct, residentBytesOf(pid));
        } catch (IOException e) {
            throw new UncheckedIOException("can't read the memory of process " + pid, e);
        }
    }

    private static String agentUrl(long pid) throws IOException {
        try {
            VirtualMachine process = VirtualMachine.attach(Long.toString(pid));
            try {
                return process.startLocalManagementAgent();
            } finally {
                process.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("process " + pid + " is no JVM that can be attached to", e);
        }
    }

    private static long residentBytesOf(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
