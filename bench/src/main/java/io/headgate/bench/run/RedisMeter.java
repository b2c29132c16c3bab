package io.headgate.bench.run;

import io.headgate.testkit.RedisProbe;
import java.util.Map;

/**
 * The counters of a Redis at one moment, from INFO.
 *
 * @param scripts the calls of EVALSHA
 * @param reads the reads from connections, each of which may have several commands
 */
public record RedisMeter(
        double cpuMicros, long commands, long scripts, long reads, long bytesIn, long bytesOut, long memoryBytes) {

    public static RedisMeter read(RedisProbe probe) {
        Map<String, String> info = probe.info("all");
        return new RedisMeter(
                cpuMicros(info),
                number(info, "total_commands_processed"),
                calls(info, "evalsha"),
                number(info, "total_reads_processed"),
                number(info, "total_net_input_bytes"),
                number(info, "total_net_output_bytes"),
                number(info, "used_memory"));
    }

    /** The difference from an earlier moment. */
    public RedisMeter since(RedisMeter then) {
        return new RedisMeter(
                cpuMicros - then.cpuMicros,
                commands - then.commands,
                scripts - then.scripts,
                reads - then.reads,
                bytesIn - then.bytesIn,
                bytesOut - then.bytesOut,
                memoryBytes - then.memoryBytes);
    }

    private static double cpuMicros(Map<String, String> info) {
        double seconds = 0;
        for (String part : new String[] {"user", "sys", "user_children", "sys_children"}) {
            seconds += Double.parseDouble(text(info, "used_cpu_" + part));
        }
        return seconds * 1e6;
    }

    private static long calls(Map<String, String> info, String command) {
        String counted = info.getOrDefault("cmdstat_" + command, "calls=0,");
        return Long.parseLong(counted.substring("calls=".length(), counted.indexOf(',')));
    }

    private static long number(Map<String, String> info, String field) {
        return Long.parseLong(text(info, field));
    }

    private static String text(Map<String, String> info, String field) {
        String value = info.get(field);
        if (value == null) {
            throw new IllegalStateException("this Redis does not count " + field + "; take 6.2 or newer");
        }
        return value;
    }
}
