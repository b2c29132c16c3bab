package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes with holds are killed and paused: the holds never exceed the limit, and all of them end. */
@Timeout(180)
class HoldsOfKilledProcessesIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisLimitEngine limits = Engines.builder(
                    Engines.settings(redis.url()).withTimeout(Duration.ofSeconds(10)))
            .build();

    @AfterEach
    void close() {
        Leftovers.in(redis.url(), "*").requireNone();
        limits.close();
        redis.close();
    }

    private ChildJvm start(String policy, int permits) {
        ChildJvm child =
                ChildJvm.of(HoldProcess.class).shortLived().start(redis.url(), policy, String.valueOf(permits));
        child.awaitLine("ready"::equals, LONG);
        return child;
    }

    @Test
    void the_holds_of_a_killed_process_end_with_their_lease() throws Exception {
        InFlightLimiter limiter = limits.inFlight(HoldProcess.policy("killed", 3));
        try (ChildJvm child = start("killed", 3)) {
            child.send("hold 3");
            child.awaitLine("held 3"::equals, LONG);
            assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
            child.kill();
            for (int i = 0; i < 3; i++) {
                assertThat(limiter.acquire(PermitRequest.global(), LONG).allowed())
                        .isTrue();
            }
            assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
        }
    }

    @Test
    void a_running_process_keeps_its_holds_for_longer_than_a_lease() {
        InFlightLimiter limiter = limits.inFlight(HoldProcess.policy("alive", 2));
        try (ChildJvm child = start("alive", 2)) {
            child.send("hold 1");
            child.awaitLine("held 1"::equals, LONG);
            Hold own = limiter.tryAcquire(PermitRequest.global());
            long start = System.nanoTime();
            Await.until("two leases to pass", LONG, () -> {
                assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
                return System.nanoTime() - start > 2 * HoldProcess.LEASE.toNanos();
            });
            assertThat(own.release()).isTrue();
            child.send("lost");
            child.awaitLine("lost 0"::equals, LONG);
        }
    }

    @Test
    void a_process_that_is_paused_beyond_its_lease_loses_its_hold_and_releases_no_other() throws Exception {
        InFlightLimiter limiter = limits.inFlight(HoldProcess.policy("paused", 2));
        try (ChildJvm child = start("paused", 2)) {
            child.send("hold 2");
            child.awaitLine("held 2"::equals, LONG);
            child.pause();
            Hold one = limiter.acquire(PermitRequest.global(), LONG);
            Hold other = limiter.acquire(PermitRequest.global(), LONG);
            assertThat(List.of(one, other)).allMatch(Hold::allowed);
            child.resume();
            child.send("lost");
            child.awaitLine("lost 2"::equals, LONG);
            child.send("release");
            child.awaitLine("released 0"::equals, LONG);
            assertThat(limiter.peek(PermitRequest.global()).rule("limit").held())
                    .isEqualTo(2);
            assertThat(List.of(one.release(), other.release())).containsOnly(true);
        }
    }

    @Test
    void holds_never_exceed_the_limit_while_processes_are_killed_and_paused() throws Exception {
        int permits = 3;
        InFlightLimiter limiter = limits.inFlight(HoldProcess.policy("busy", permits));
        try (ChildJvm first = start("busy", permits);
                ChildJvm second = start("busy", permits);
                ChildJvm killed = start("busy", permits);
                ChildJvm paused = start("busy", permits)) {
            long beforeMicros = nowMicros(limiter);
            killed.send("hold 1");
            killed.awaitLine("held 1"::equals, LONG);
            paused.send("hold 1");
            paused.awaitLine("held 1"::equals, LONG);
            // Each of the two is held from now on, and at least until a lease after the time before its request.
            long[] idle = {nowMicros(limiter), beforeMicros + Micros.of(HoldProcess.LEASE)};
            // First while the holds of the killed and the paused process last, and again after they have expired.
            first.send("work 25");
            second.send("work 25");
            paused.pause();
            killed.kill();
            List<long[]> held = held(first, second);
            Await.until(
                    "the leases of the killed and the paused process to end",
                    LONG,
                    () -> limiter.peek(PermitRequest.global()).rule("limit").held() == 0);
            first.send("work 25");
            second.send("work 25");
            paused.resume();
            held.addAll(held(first, second));
            paused.send("lost");
            paused.awaitLine("lost 1"::equals, LONG);
            assertThat(held).hasSizeGreaterThan(300);
            assertThat(mostConcurrent(held)).isBetween(2, permits);
            held.addAll(List.of(idle, idle));
            assertThat(mostConcurrent(held)).isLessThanOrEqualTo(permits);
        }
    }

    private static long nowMicros(InFlightLimiter limiter) {
        return Micros.of(limiter.peek(PermitRequest.global()).at());
    }

    private static List<long[]> held(ChildJvm first, ChildJvm second) {
        List<long[]> held = new ArrayList<>(held(first));
        held.addAll(held(second));
        return held;
    }

    private static List<long[]> held(ChildJvm child) {
        List<long[]> held = new ArrayList<>();
        for (String line = child.nextLine(LONG).orElseThrow();
                !line.equals("done");
                line = child.nextLine(LONG).orElseThrow()) {
            String[] words = line.split(" ");
            held.add(new long[] {Long.parseLong(words[1]), Long.parseLong(words[3])});
        }
        return held;
    }

    /** The largest number of concurrent holds. A permit that is released in a microsecond may be acquired again in the same microsecond. */
    private static int mostConcurrent(List<long[]> held) {
        TreeMap<Long, Integer> changes = new TreeMap<>();
        for (long[] one : held) {
            changes.merge(one[0], 1, Integer::sum);
            changes.merge(one[1], -1, Integer::sum);
        }
        int now = 0;
        int most = 0;
        for (int change : changes.values()) {
            now += change;
            most = Math.max(most, now);
        }
        return most;
    }
}
