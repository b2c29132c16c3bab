package io.headgate.redis.internal;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;

/** The memory that a Redis uses, without what is not that of its keys and would change between two looks at it. */
public final class UsedMemory {

    private UsedMemory() {}

    /** Redis 7 and newer keep 25 KB for each command from the first time that it is called, which would be seen. */
    public static void withoutLatencyTracking(RedisProbe probe) {
        try {
            probe.command("CONFIG", "SET", "latency-tracking", "no");
        } catch (RedisProbe.ErrorReply e) {
            // An older one.
        }
    }

    /**
     * By a new connection, when all others are gone, and without scripts: Redis 8 counts the memory of its Lua, with all that
     * waits there to be collected, which is more than some tests have in keys.
     */
    public static long bytes(RedisProbe probe) {
        probe.close();
        Await.until("other connections are gone", Duration.ofSeconds(30), () -> probe.info("clients")
                .getOrDefault("connected_clients", "")
                .equals("1"));
        probe.command("SCRIPT", "FLUSH", "SYNC");
        return Long.parseLong(probe.info("memory").getOrDefault("used_memory", "0"));
    }
}
