package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;

/** Has a primary die whose replicas don't know what it did last. */
final class Behind {

    /** For how long they don't, at least: who watches them takes them for dead after a second, or two. */
    private static final Duration TIME = Duration.ofMillis(900);

    /** And how much: some ten jobs, as many as are enqueued in some seconds where each waits for a confirmation in vain. */
    private static final long BYTES = 8_000;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Behind() {}

    /** Stops the replicas for a while, kills the primary, and lets them go on. */
    static void kill(RedisServer primary, List<RedisServer> replicas) {
        replicas.forEach(RedisServer::pause);
        try (RedisProbe probe = RedisProbe.of(primary.url())) {
            // What is sent to one that is stopped waits in the buffers of the machine, and would be read later.
            probe.command("CLIENT", "KILL", "TYPE", "replica");
            long then = offset(probe);
            Pause.of(TIME);
            Await.until("traffic that replicas don't see", PATIENCE, () -> offset(probe) - then > BYTES);
        }
        primary.kill();
        replicas.forEach(RedisServer::resume);
    }

    private static long offset(RedisProbe primary) {
        return Long.parseLong(primary.info("replication").getOrDefault("master_repl_offset", "0"));
    }
}
