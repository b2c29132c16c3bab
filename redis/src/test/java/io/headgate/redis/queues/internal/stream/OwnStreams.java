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

/** A Redis of a class's own, empty before each test, with two engines that stand for two processes. */
final class OwnStreams implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    static final String KEY = "hg:s:{orders}";
    static final String LOOKS = KEY + ":g:billing:scan";

    private final RedisServer redis = RedisServer.startOwn();

    final RedisProbe probe = RedisProbe.of(redis.url());
    final QueueEngine one = Engines.queues(redis.url());
    final QueueEngine other = Engines.queues(redis.url());

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
        one.close();
        other.close();
        probe.close();
        redis.close();
    }

    String url() {
        return redis.url();
    }

    /** What Redis is: {@code 7.0.15}. */
    String version() {
        return String.valueOf(probe.info("server").get("redis_version"));
    }

    EventStream<String> stream() {
        return one.stream("orders", Codec.text());
    }

    EventStream<String> stream(StreamSettings settings) {
        return one.stream(settings, Codec.text());
    }

    /** The group as the one process has it; and as the other. */
    ConsumerGroup<String> billing() {
        return stream().group("billing");
    }

    ConsumerGroup<String> billing(GroupSettings settings) {
        return stream().group(settings);
    }

    ConsumerGroup<String> othersBilling() {
        return othersBilling(GroupSettings.of("billing"));
    }

    ConsumerGroup<String> othersBilling(GroupSettings settings) {
        return other.stream("orders", Codec.text()).group(settings);
    }

    static List<String> payloads(List<Lease<String>> leases) {
        return leases.stream().map(lease -> lease.job().payload()).toList();
    }

    static EntryId entry(Lease<String> lease) {
        return EntryId.of(lease.id());
    }

    /** Makes an entry look as if its consumer had had it for so long, and the next claim look for such. */
    void age(Lease<String> lease, Duration idle) {
        String id = entry(lease).toString();
        List<?> pending = (List<?>)
                list(probe.command("XPENDING", KEY, "billing", id, id, "1")).get(0);
        String idleMillis = Long.toString(idle.toMillis());
        probe.command("XCLAIM", KEY, "billing", String.valueOf(pending.get(1)), "0", id, "IDLE", idleMillis, "JUSTID");
        lookNow();
    }

    /** Makes the next claim look for entries to take over. */
    void lookNow() {
        if (Long.valueOf(1).equals(probe.command("EXISTS", LOOKS))) {
            probe.command("SETRANGE", LOOKS, "0", "\0".repeat(7));
        }
    }

    /** Makes the group forget since when nothing was taken over. */
    void forgetFence() {
        probe.command("DEL", LOOKS);
    }

    /** What time it is by Redis's clock. */
    long millis() {
        List<?> time = list(probe.command("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1000 + Long.parseLong(String.valueOf(time.get(1))) / 1000;
    }

    /** How many entries are pending in the group. */
    long pending() {
        return stream().state().groups().stream()
                .filter(group -> group.name().equals("billing"))
                .mapToLong(StreamState.Group::pending)
                .sum();
    }

    /** The names that batches of the group have in Redis. */
    List<String> batches() {
        return list(probe.command("XINFO", "CONSUMERS", KEY, "billing")).stream()
                .map(consumer -> String.valueOf(list(consumer).get(1)))
                .filter(name -> name.contains(":"))
                .toList();
    }

    static List<?> list(@Nullable Object reply) {
        return (List<?>) Objects.requireNonNull(reply);
    }
}
