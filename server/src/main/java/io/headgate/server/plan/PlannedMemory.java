package io.headgate.server.plan;

import io.headgate.server.cli.Finding;
import io.headgate.server.cli.StartException;
import io.headgate.server.redis.ConnectionDiagnosis;
import io.headgate.server.redis.RedisInspector;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Optional;

/**
 * The memory allocator that a plan assumes.
 *
 * @param mallocStats the statistics of the allocator of a Redis; empty if none was read
 * @param address the address of that Redis; empty without one
 */
record PlannedMemory(String mallocStats, Optional<String> address) {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Assumes the build of Redis that takes more memory. */
    static PlannedMemory ofAny() {
        return new PlannedMemory("", Optional.empty());
    }

    /**
     * Reads the allocator of a Redis. If the user may not read it, assumes the build that takes more memory.
     *
     * @throws IllegalArgumentException if the URL is invalid
     * @throws StartException if Redis does not reply, or rejects the connection
     */
    static PlannedMemory of(String url) {
        RedisURI uri = RedisInspector.parse(url);
        String address = RedisInspector.address(uri);
        try (RedisInspector redis = RedisInspector.connect(uri, TIMEOUT)) {
            redis.call("PING")
                    .error()
                    .flatMap(reply -> ConnectionDiagnosis.byReply(address, reply))
                    .ifPresent(PlannedMemory::fail);
            return new PlannedMemory(redis.call("MEMORY", "MALLOC-STATS").text(), Optional.of(address));
        } catch (RedisException | IllegalStateException e) {
            fail(ConnectionDiagnosis.because(uri, address, e));
            throw e; // not reached, because fail() throws
        }
    }

    private static void fail(Finding finding) {
        throw StartException.failed(
                finding.found() + finding.advice().map(text -> ": " + text).orElse(""));
    }

    /** The assumption of a plan about memory, in words. */
    String assumption(int quantumBytes) {
        String jemalloc = "memory of the keys in Redis 6.2 to 8.0 with jemalloc, whose small size classes are "
                + quantumBytes + " bytes apart";
        if (address.isEmpty()) {
            return jemalloc + ", as in most distributions; --redis URL reads that of yours";
        }
        return jemalloc
                + (mallocStats.contains("Quantum size: " + quantumBytes)
                        ? ", as " + address.get() + " reports"
                        : "; " + address.get() + " does not report its allocator");
    }
}
