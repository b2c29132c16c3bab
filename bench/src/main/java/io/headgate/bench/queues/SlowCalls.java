package io.headgate.bench.queues;

import io.headgate.testkit.RedisProbe;
import java.util.List;

/** Which calls keep Redis to themselves for long, as its slow log has them while this is open. */
final class SlowCalls implements AutoCloseable {

    private static final String LONG_MICROS = "5000";
    private static final String WATCHED_MICROS = "500";

    private final RedisProbe probe;

    SlowCalls(RedisProbe probe) {
        this.probe = probe;
        set(WATCHED_MICROS);
        probe.command("CONFIG", "SET", "slowlog-max-len", "100000");
        probe.command("SLOWLOG", "RESET");
    }

    private void set(String micros) {
        probe.command("CONFIG", "SET", "slowlog-log-slower-than", micros);
    }

    /** How long the longest script took. */
    long longestMicros() {
        return micros().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** How many took more than 5 ms. */
    long count() {
        long most = Long.parseLong(LONG_MICROS);
        return micros().stream().filter(taken -> taken > most).count();
    }

    private List<Long> micros() {
        List<?> entries = (List<?>) answer(probe.command("SLOWLOG", "GET", "-1"));
        return entries.stream()
                .map(List.class::cast)
                .filter(entry -> "EVALSHA"
                        .equalsIgnoreCase(((List<?>) entry.get(3)).get(0).toString()))
                .map(entry -> Long.parseLong(entry.get(2).toString()))
                .toList();
    }

    private static Object answer(@org.jspecify.annotations.Nullable Object reply) {
        if (reply == null) {
            throw new IllegalStateException("the slow log answered nothing");
        }
        return reply;
    }

    @Override
    public void close() {
        set("10000");
        probe.command("SLOWLOG", "RESET");
    }
}
