package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.streams.StreamState;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Redis for one test class, emptied before each test, with two engines that stand for two processes. */
final class OwnStreams implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    static final String KEY = "hg:s:{orders}";
    /** When to scan for expired leases next (7 bytes), the fence (7), which {@link FenceIT} describes, and the id to scan from. */
    static final String SCAN_STATE = KEY + ":g:billing:scan";

    private final RedisServer redis = RedisServer.startOwn();

    final RedisProbe probe = RedisProbe.of(redis.url());
    final QueueEngine engine = Engines.queues(redis.url());
    final QueueEngine otherEngine = Engines.queues(redis.url());

    @Override
    public void beforeEach(ExtensionContext context) {
        probe.flushAll();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        probe.flushAll();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        engine.close();
        otherEngine.close();
        probe.close();
        redis.close();
    }

    String url() {
        return redis.url();
    }

    /** The version of Redis, such as {@code 7.0.15}. */
    String version() {
        return String.valueOf(probe.info("server").get("redis_version"));
    }

    EventStream<String> stream() {
        return engine.stream("orders", Codec.text());
    }

    EventStream<String> stream(StreamSettings settings) {
        return engine.stream(settings, Codec.text());
    }

    /** Returns the group in the first process. */
    ConsumerGroup<String> billing() {
        return stream().group("billing");
    }

    ConsumerGroup<String> billing(GroupSettings settings) {
        return stream().group(settings);
    }

    /** Returns the group in the other process. */
    ConsumerGroup<String> otherBilling() {
        return otherBilling(GroupSettings.of("billing"));
    }

    ConsumerGroup<String> otherBilling(GroupSettings settings) {
        return otherEngine.stream("orders", Codec.text()).group(settings);
    }

    static List<String> payloads(List<Lease<String>> leases) {
        return leases.stream().map(lease -> lease.job().payload()).toList();
    }

    static EntryId entry(Lease<String> lease) {
        return EntryId.of(lease.id());
    }

    /** Sets the idle time of a pending entry, and makes the next claim scan for entries to take over. */
    void setIdle(Lease<String> lease, Duration idle) {
        String id = entry(lease).toString();
        List<?> pending = (List<?>)
                list(probe.command("XPENDING", KEY, "billing", id, id, "1")).get(0);
        String idleMillis = Long.toString(idle.toMillis());
        probe.command("XCLAIM", KEY, "billing", String.valueOf(pending.get(1)), "0", id, "IDLE", idleMillis, "JUSTID");
        makeScanDue();
    }

    /** Makes the next claim scan for entries to take over. */
    void makeScanDue() {
        if (Long.valueOf(1).equals(probe.command("EXISTS", SCAN_STATE))) {
            probe.command("SETRANGE", SCAN_STATE, "0", "\0".repeat(7));
        }
    }

    /**
     * Deletes the state of the scan for expired leases, which contains the fence of the group: the time of its last takeover or of its
     * creation.
     */
    void deleteFence() {
        probe.command("DEL", SCAN_STATE);
    }

    /** Returns the time by the clock of Redis. */
    long millis() {
        List<?> time = list(probe.command("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1000 + Long.parseLong(String.valueOf(time.get(1))) / 1000;
    }

    /** Returns the number of pending entries of the group. */
    long pending() {
        return stream().state().groups().stream()
                .filter(group -> group.name().equals("billing"))
                .mapToLong(StreamState.Group::pending)
                .sum();
    }

    /** Returns the consumer names of the open batches of the group. */
    List<String> batchNames() {
        return list(probe.command("XINFO", "CONSUMERS", KEY, "billing")).stream()
                .map(consumer -> String.valueOf(list(consumer).get(1)))
                .filter(name -> name.contains(":"))
                .toList();
    }

    static List<?> list(@Nullable Object reply) {
        return (List<?>) Objects.requireNonNull(reply);
    }
}
