package io.headgate.bench.policies;

import io.headgate.config.Policies;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyListener;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Attributes;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.RedisProbe;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A measured run: policies are loaded from files, written to Redis, applied, and changed. */
final class PolicyRun implements PolicyListener {

    /** A measured value. */
    record Figure(String name, double value, String unit) {}

    private static final int REPEATS = 10;
    private static final int MAX_COLLECTIONS = 10;
    private static final long PATIENCE_SECONDS = 120;
    private static final double MEBIBYTE = 1 << 20;
    private static final String MS = "ms";
    private static final String MIB = "MiB";

    private final BlockingQueue<String> applied = new LinkedBlockingQueue<>();
    private final List<Figure> figures = new ArrayList<>();
    private final ManyPolicies policies;

    private PolicyRun(ManyPolicies policies) {
        this.policies = policies;
    }

    /**
     * Measures policies.
     *
     * @param directory where to write files; the caller deletes them
     */
    static List<Figure> measure(ManyPolicies policies, Path directory, String url) throws IOException {
        PolicyRun run = new PolicyRun(policies);
        run.load(directory);
        run.change(url);
        return List.copyOf(run.figures);
    }

    private void load(Path directory) throws IOException {
        List<Text> texts = policies.texts(1);
        figures.add(new Figure("size of all files", ManyPolicies.bytes(texts) / MEBIBYTE, MIB));
        ManyPolicies.write(texts, directory);
        // Files that were modified right now may still be written, so that a read waits.
        for (Text text : texts) {
            Files.setLastModifiedTime(
                    directory.resolve(text.name()), FileTime.from(Instant.now().minusSeconds(1)));
        }
        try (FilePolicySource source = FilePolicySource.of(directory)) {
            long before = usedHeap();
            long started = System.nanoTime();
            Policies first = source.read().policies();
            figures.add(new Figure("read and check the files, at the start of a process", millisSince(started), MS));
            figures.add(new Figure("heap of the policies", (usedHeap() - before) / MEBIBYTE, MIB));
            List<Double> times = new ArrayList<>();
            for (int i = 0; i < REPEATS; i++) {
                started = System.nanoTime();
                if (!source.read().policies().list().equals(first.list())) {
                    throw new IllegalStateException("the files were changed");
                }
                times.add(millisSince(started));
            }
            figures.add(new Figure("read and check the files again, median", median(times), MS));
        }
    }

    private void change(String url) {
        RedisSettings settings = RedisSettings.of(url);
        try (RedisPolicyStore writer = RedisPolicyStore.connect(settings);
                RedisProbe probe = RedisProbe.of(url);
                RedisLimitEngine engine = RedisLimitEngine.connect(settings)) {
            Optional<String> version = Optional.of(write(writer, 1, Optional.empty()));
            long before = usedHeap();
            RedisPolicyStore reader = RedisPolicyStore.connect(settings);
            long started = System.nanoTime();
            try (PolicyReloader reloader =
                    PolicyReloader.start(engine, reader, reader.read(), Policies.of(List.of()), this)) {
                figures.add(new Figure("read from Redis, check and apply at the start", millisSince(started), MS));
                figures.add(new Figure(
                        "heap of the policies, their limiters and their text", (usedHeap() - before) / MEBIBYTE, MIB));
                List<Double> writes = new ArrayList<>();
                List<Double> changes = new ArrayList<>();
                for (int i = 0; i < REPEATS; i++) {
                    int permits = i + 2;
                    started = System.nanoTime();
                    version = Optional.of(write(writer, permits, version));
                    writes.add(millisSince(started));
                    awaitApplied(version.get());
                    changes.add(millisSince(started));
                    requireLimit(reloader, permits);
                }
                figures.add(new Figure("write a version to Redis, median", median(writes), MS));
                figures.add(new Figure("from the start of the write until it is applied, median", median(changes), MS));
                figures.add(new Figure("the same, maximum", changes.get(changes.size() - 1), MS));
            }
            Object stored = probe.command("MEMORY", "USAGE", "hg:config:policies", "SAMPLES", "0");
            figures.add(new Figure(
                    "memory of Redis for each version",
                    Long.parseLong(String.valueOf(stored)) / MEBIBYTE / (REPEATS + 1),
                    MIB));
        }
    }

    private String write(RedisPolicyStore store, int permits, Optional<String> replaces) {
        return store.apply(new PolicyUpdate(policies.texts(permits), replaces, "bench", permits + " permits"))
                .current()
                .map(PolicyVersion::version)
                .orElseThrow();
    }

    @Override
    public void applied(PolicyStatus status, Policies inForce, List<PolicyChange> changes) {
        applied.add(status.version());
    }

    private void awaitApplied(String version) {
        try {
            String next = applied.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!version.equals(next)) {
                throw new IllegalStateException("version " + version + " was not applied, but " + next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void requireLimit(PolicyReloader reloader, int permits) {
        PermitRequest request = PermitRequest.of(Attributes.of(Attributes.USER, "alice"));
        long limit =
                reloader.registry().limiter(ManyPolicies.name(0)).peek(request).limit();
        if (limit != permits) {
            throw new IllegalStateException("the limit in force is " + limit + ", must be " + permits);
        }
    }

    /** Sorts the times, and returns the median. */
    private static double median(List<Double> times) {
        times.sort(null);
        return times.get(times.size() / 2);
    }

    private static double millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e6;
    }

    /** The used heap after collections, each of which may leave objects that the next one frees. */
    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < MAX_COLLECTIONS; i++) {
            System.gc();
            long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (now >= used) {
                return used;
            }
            used = now;
        }
        return used;
    }
}
