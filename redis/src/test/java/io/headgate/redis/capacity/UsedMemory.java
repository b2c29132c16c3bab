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
     * Empties it, and has it keep nothing more than later. Redis 7 and newer keep 25 KB for each command from the first time
     * that it is called, as long as latency-tracking is on; Redis 8 keeps 2.5 KB for a database from its first key on.
     */
    public static void empty(RedisProbe probe) {
        try {
            probe.command("CONFIG", "SET", "latency-tracking", "no");
        } catch (RedisProbe.ErrorReply e) {
            // An older one.
        }
        probe.flushAll();
        probe.command("SET", "first", "");
        probe.command("DEL", "first");
    }

    /**
     * By a new connection, when all others are gone, and without scripts: Redis 8 counts the memory of its Lua, with all that
     * waits there to be collected, which is more than some tests have in keys. Redis 7 takes 15 KB from a connection within its first second,
     * so it is one that was opened just now. On a busy machine there is a log of what was slow.
     */
    public static long bytes(RedisProbe probe) {
        probe.command("SCRIPT", "FLUSH", "SYNC");
        probe.command("SLOWLOG", "RESET");
        AtomicLong bytes = new AtomicLong();
        Await.until("other connections are gone", Duration.ofSeconds(30), () -> {
            probe.close();
            Map<String, String> said = probe.info("default");
            bytes.set(Long.parseLong(said.getOrDefault("used_memory", "0")));
            return said.getOrDefault("connected_clients", "").equals("1");
        });
        return bytes.get();
    }

    /** Holds bytes to a plan, from which they are no more than 15 % away; of Valkey, which keeps keys in less, 40 % below. */
    public static void assertPlanned(RedisServer redis, long bytes, double planned) {
        assertThat((double) bytes).isBetween((isValkey(redis) ? 0.6 : 0.85) * planned, 1.15 * planned);
    }

    private static boolean isValkey(RedisServer redis) {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            return probe.info("server").containsKey("valkey_version");
        }
    }
}
