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
 * A measured run of several instances that request permits of one key in one mode.
 *
 * @param admissions the admissions of all instances, which share a clock
 * @param requests the number of requests
 * @param calls the number of script calls that Redis received
 */
record ModeRun(String name, String detail, List<Admission> admissions, long requests, long calls) {

    static final int INSTANCES = 3;
    static final int PERMITS = 1000;
    static final Duration WINDOW = Duration.ofMillis(500);
    static final Duration LEASE = Duration.ofMillis(50);

    /** The length of a phase. In total, the instances request half the limit in the first phase, and four times the limit in the second. */
    static final Duration PHASE = Duration.ofMillis(1500);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int FIRST_PHASE_PER_SECOND = 350;
    private static final int SECOND_PHASE_PER_SECOND = 2700;

    /** An admission, with the times since the start just after and just before its request, in this order. */
    record Admission(long afterMicros, long beforeMicros) {}

    /** How the engine is configured. */
    enum Mode {
        EACH("A call for each", "one by one"),
        EXACT("Exact", "default settings"),
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
            // Without the calls that count instances and those that poll bans, so that only decisions are counted.
            RedisLimitEngine.Builder engine = RedisLimitEngine.builder(
                            RedisSettings.of(url).withTimeout(TIMEOUT))
                    .fallback(Fallback.none())
                    .bans(false);
            return (this == EACH ? engine.batching(false).maxCachedDenials(0) : engine).build();
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
        long requests = 0;
        long calls;
        try {
            // The first call of each engine is not measured.
            engines.forEach(engine -> engine.limiter(mode.policy()).peek("hot"));
            probe.command("CONFIG", "RESETSTAT");
            long begins = System.nanoTime();
            List<CompletableFuture<Caller>> callers = engines.stream()
                    .map(engine -> engine.limiter(mode.policy()))
                    .map(limiter -> CompletableFuture.supplyAsync(
                            () -> new Caller(limiter, begins).run(), task -> new Thread(task, "caller").start()))
                    .toList();
            for (CompletableFuture<Caller> caller : callers) {
                admissions.addAll(caller.join().admissions);
                requests += caller.join().requests;
            }
            calls = probe.commandCalls().getOrDefault("EVALSHA", 0L);
        } finally {
            engines.forEach(RedisLimitEngine::close);
        }
        return new ModeRun(mode.title, mode.detail, admissions, requests, calls);
    }

    /** The thread of one instance, which sends its requests. */
    private static final class Caller {

        private final Limiter limiter;
        private final long begins;
        private final List<Admission> admissions = new ArrayList<>();
        private long requests;

        Caller(Limiter limiter, long begins) {
            this.limiter = limiter;
            this.begins = begins;
        }

        Caller run() {
            runPhase(FIRST_PHASE_PER_SECOND, 0);
            runPhase(SECOND_PHASE_PER_SECOND, PHASE.toNanos());
            return this;
        }

        private void runPhase(int perSecond, long from) {
            long every = 1_000_000_000L / perSecond;
            for (long due = from; due < from + PHASE.toNanos(); due += every) {
                while (now() < due) {
                    LockSupport.parkNanos(due - now());
                }
                long before = now();
                requests++;
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
