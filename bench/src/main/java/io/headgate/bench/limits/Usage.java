package io.headgate.bench.limits;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/**
 * What a process has used.
 *
 * @param cpuNanos all processor time since it began
 * @param memoryBytes what it holds after a collection: heap, classes and code, and buffers outside of the heap
 */
record Usage(long cpuNanos, long memoryBytes) {

    /** Of this process; the collection itself is not counted. */
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

    /** As it is written from process to process. */
    @Override
    public String toString() {
        return cpuNanos + " " + memoryBytes;
    }

    static Usage parse(String text) {
        String[] parts = text.split(" ");
        return new Usage(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }
}
