package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that a Redis uses for its keys, without parts that vary between two measurements. */
public final class UsedMemory {

    private UsedMemory() {}

    /**
     * Deletes all keys, and prepares Redis so that it allocates no memory during a measurement that it would allocate only once. From Redis
     * 7 on, latency-tracking takes 25 KB at the first call of each command, so this turns it off. Redis 8 takes 2.5 KB at the first key of
     * a database, so this stores and deletes one.
     */
    public static void empty(RedisProbe probe) {
        try {
            probe.command("CONFIG", "SET", "latency-tracking", "no");
        } catch (RedisProbe.ErrorReply e) {
            // Redis before 7 has no latency-tracking.
        }
        probe.flushAll();
        probe.command("SET", "first", "");
        probe.command("DEL", "first");
    }

    /**
     * Returns the used memory without scripts, slow log and other connections. Redis 8 counts the memory of Lua, with its garbage, which
     * can exceed that of the keys. Redis 7 frees 15 KB of a connection within its first second, so each reading opens a new connection.
     */
    public static long bytes(RedisProbe probe) {
        probe.command("SCRIPT", "FLUSH", "SYNC");
        probe.command("SLOWLOG", "RESET");
        AtomicLong bytes = new AtomicLong();
        Await.until("other connections are gone", Duration.ofSeconds(30), () -> {
            probe.close();
            Map<String, String> info = probe.info("default");
            bytes.set(Long.parseLong(info.getOrDefault("used_memory", "0")));
            return info.getOrDefault("connected_clients", "").equals("1");
        });
        return bytes.get();
    }

    /** Asserts that bytes are within 15 % of a plan; Valkey, which stores keys in less memory, may be 40 % below. */
    public static void assertPlanned(RedisServer redis, long bytes, double planned) {
        assertThat((double) bytes).isBetween((isValkey(redis) ? 0.6 : 0.85) * planned, 1.15 * planned);
    }

    private static boolean isValkey(RedisServer redis) {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            return probe.info("server").containsKey("valkey_version");
        }
    }
}
