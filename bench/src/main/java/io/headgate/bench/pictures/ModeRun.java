package io.headgate.bench.pictures;

import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * What several instances admitted together, asked for one key in one mode, as measured.
 *
 * @param admissions by the clock that they share
 * @param calls how many calls Redis was sent
 */
record ModeRun(String name, String detail, List<Admission> admissions, long asked, long calls) {

    static final int INSTANCES = 3;
    static final int PERMITS = 1000;
    static final Duration WINDOW = Duration.ofMillis(500);
    static final Duration LEASE = Duration.ofMillis(50);

    /** The length of a phase: first half of the limit is requested, then four times the limit, by all instances together. */
    static final Duration PHASE = Duration.ofMillis(1500);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int CALM_A_SECOND = 350;
    private static final int CROWD_A_SECOND = 2700;

    /** An admission between these two times since the start. */
    record Admission(long afterMicros, long beforeMicros) {}

    /** How the engine is configured. */
    enum Mode {
        EACH("A call for each", "one by one"),
        EXACT("Exact", "as it comes"),
        LEASED("Leased", "for a tenth of the window");

        private final String title;
        private final String detail;

        Mode(String title, String detail) {
            this.title = title;
            this.detail = detail;
        }

        private Policy policy() {
            Policy.Builder policy =
                    Policy.named("modes").rule("limit", Limit.slidingWindow(PERMITS, WINDOW), Attributes.KEY);
            return (this == LEASED ? policy.leased(LEASE) : policy).build();
        }

        private RedisLimitEngine engine(String url) {
            // Without the calls that count instances, so that only decisions are counted.
            RedisLimitEngine.Builder engine = RedisLimitEngine.builder(
                            RedisSettings.of(url).withTimeout(TIMEOUT))
                    .fallback(Fallback.none());
            return (this == EACH ? engine.coalescing(false).maxCachedDenials(0) : engine).build();
        }
    }

    /** Runs both phases. */
    static ModeRun measure(Mode mode, String url, RedisProbe probe) {
        probe.flushAll();
        List<RedisLimitEngine> engines = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            engines.add(mode.engine(url));
        }
        List<Admission> admissions = new ArrayList<>();
        long asked = 0;
        long calls;
        try {
            engines.forEach(engine -> engine.limiter(mode.policy()).peek("hot"));
            probe.command("CONFIG", "RESETSTAT");
            long begins = System.nanoTime();
            List<CompletableFuture<Asker>> askers = engines.stream()
                    .map(engine -> engine.limiter(mode.policy()))
                    .map(limiter -> CompletableFuture.supplyAsync(
                            () -> new Asker(limiter, begins).ask(), task -> new Thread(task, "asker").start()))
                    .toList();
            for (CompletableFuture<Asker> asker : askers) {
                admissions.addAll(asker.join().admissions);
                asked += asker.join().asked;
            }
            calls = probe.commandCalls().getOrDefault("EVALSHA", 0L);
        } finally {
            engines.forEach(RedisLimitEngine::close);
        }
        return new ModeRun(mode.title, mode.detail, admissions, asked, calls);
    }

    /** One instance. */
    private static final class Asker {

        private final Limiter limiter;
        private final long begins;
        private final List<Admission> admissions = new ArrayList<>();
        private long asked;

        Asker(Limiter limiter, long begins) {
            this.limiter = limiter;
            this.begins = begins;
        }

        Asker ask() {
            ask(CALM_A_SECOND, 0);
            ask(CROWD_A_SECOND, PHASE.toNanos());
            return this;
        }

        private void ask(int aSecond, long from) {
            long every = 1_000_000_000L / aSecond;
            for (long due = from; due < from + PHASE.toNanos(); due += every) {
                while (now() < due) {
                    LockSupport.parkNanos(due - now());
                }
                long before = now();
                asked++;
                if (limiter.tryAcquire("hot").allowed()) {
                    admissions.add(new Admission(now() / 1000, before / 1000));
                }
            }
        }

        private long now() {
            return System.nanoTime() - begins;
        }
    }
}
