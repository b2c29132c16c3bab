package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyListener;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Fallback;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * 1,000 versions in a row in Redis or etcd, each with another limit, while three instances request permits of one key. Every second version
 * lowers the limit, and the other ones raise it to a new maximum.
 */
@Timeout(300)
class ThousandSharedChangesIT {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int INSTANCES = 3;
    private static final int CHANGES = 1000;
    private static final int KEPT = 100;

    private final RedisServer redis = RedisServer.startOwn();
    private final List<Instance> instances = new ArrayList<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    /** The largest limit of all versions so far, including one that is being written. */
    private final AtomicLong largest = new AtomicLong();

    private final AtomicLong admitted = new AtomicLong();
    private final AtomicLong exceeded = new AtomicLong();

    /** The last version that was written. */
    private Optional<String> current = Optional.empty();

    @AfterEach
    void stop() {
        stopTraffic();
        instances.forEach(Instance::close);
        redis.close();
    }

    @Test
    void in_redis_the_last_version_is_in_force_everywhere_and_counts_survive() {
        requireAllApply(redis.url());
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            assertThat(probe.command("HLEN", "hg:config:policies"))
                    .as("a description and a text of each version, and three other fields")
                    .isEqualTo(2L * KEPT + 3);
        }
    }

    @Test
    @Requires(Requirement.ETCD)
    void in_etcd_the_last_version_is_in_force_everywhere_and_counts_survive() {
        try (EtcdServer etcd = EtcdServer.start()) {
            requireAllApply(etcd.url());
            instances.forEach(Instance::close);
        }
    }

    private void requireAllApply(String url) {
        try (PolicyStore store = PolicyProcess.store(url)) {
            write(store, 1);
            IntStream.range(0, INSTANCES).forEach(i -> instances.add(new Instance(url)));
            List<CompletableFuture<Void>> traffic = instances.stream()
                    .map(instance -> CompletableFuture.runAsync(instance::request))
                    .toList();
            for (int i = 1; i < CHANGES; i++) {
                write(store, i % 2 == 0 ? i / 4 + 1 : i);
            }
            long last = CHANGES;
            write(store, last);
            instances.forEach(instance -> Await.until(
                    "the last version",
                    LONG,
                    () -> instance.policies.status().version().equals(current.orElseThrow())));
            Await.until(
                    "as many admitted requests as the last limit",
                    LONG,
                    () -> admitted.get() >= last || traffic.stream().anyMatch(CompletableFuture::isDone));
            stopTraffic();
            traffic.forEach(CompletableFuture::join);
            assertThat(admitted).hasValue(last);
            assertThat(exceeded).as("requests beyond the largest limit so far").hasValue(0);
            instances.forEach(Instance::requireOrder);
            assertThat(store.history(KEPT)).hasSize(KEPT);
            assertThat(store.find(String.valueOf(CHANGES + 1 - KEPT)))
                    .as("kept")
                    .isEmpty();
            assertThat(store.find(String.valueOf(CHANGES + 2 - KEPT)))
                    .as("kept")
                    .isPresent();
        }
    }

    private void stopTraffic() {
        stopped.set(true);
        instances.forEach(instance -> instance.applied.release());
    }

    private void write(PolicyStore store, long permits) {
        largest.accumulateAndGet(permits, Math::max);
        PolicyDocument.Text text = new PolicyDocument.Text(
                "api.yaml",
                "policies: { api: { rules: { limit: { by: user, sliding-window: { permits: " + permits
                        + ", window: 1h } } } } }");
        PolicyUpdate.Result result =
                store.apply(new PolicyUpdate(List.of(text), current, "test", permits + " permits"));
        assertThat(result.applied()).isTrue();
        current = result.current().map(PolicyVersion::version);
    }

    /** An engine with policies of its own, and a thread that requests permits. */
    private final class Instance implements PolicyListener, AutoCloseable {

        private final LimitEngine engine = RedisLimitEngine.builder(
                        RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))
                .fallback(Fallback.none())
                .maxCachedDenials(0)
                .build();
        private final ConcurrentLinkedQueue<Long> numbers = new ConcurrentLinkedQueue<>();

        /** A permit for each version that was applied since the last request. */
        private final Semaphore applied = new Semaphore(0);

        private final PolicyReloader policies;

        Instance(String url) {
            PolicyStore store = PolicyProcess.store(url);
            policies = PolicyReloader.start(engine, store, store.read(), Policies.of(List.of()), this);
        }

        /** Requests permits until one is denied, and again as soon as another version is in force. */
        void request() {
            while (!stopped.get()) {
                if (!policies.registry().limiter("api").tryAcquire("alice").allowed()) {
                    applied.acquireUninterruptibly();
                    applied.drainPermits();
                } else if (admitted.incrementAndGet() > largest.get()) {
                    exceeded.incrementAndGet();
                }
            }
        }

        @Override
        public void applied(PolicyStatus status, Policies inForce, List<PolicyChange> changes) {
            String version = status.version();
            numbers.add(Long.valueOf(version.substring(0, version.indexOf('-'))));
            applied.release();
        }

        /** Each version was later than the one before; some may have been replaced before they were read. */
        void requireOrder() {
            List<Long> applied = List.copyOf(numbers);
            System.out.printf("applied %d of %d versions%n", applied.size(), CHANGES);
            assertThat(applied).isSorted().doesNotHaveDuplicates();
            assertThat(policies.status().rejected()).isEmpty();
        }

        @Override
        public void close() {
            policies.close();
            engine.close();
        }
    }
}
