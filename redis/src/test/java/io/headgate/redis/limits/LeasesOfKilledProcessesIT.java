package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.BurstProcess.Admission;
import io.headgate.redis.limits.BurstProcess.Kind;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Four processes spend leased permits of one key. One is killed repeatedly, another is paused for longer than a lease and resumed.
 * Their admissions, by the monotonic clock that they share, never exceed the limit.
 */
class LeasesOfKilledProcessesIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PROCESSES = 4;
    private static final int ROUNDS = 4;
    private static final int BURSTS_PER_ROUND = 12;
    private static final int PAUSES_PER_ROUND = 8;

    private final Path folder;
    private final List<ChildJvm> processes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    LeasesOfKilledProcessesIT(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void stop() {
        processes.forEach(ChildJvm::close);
    }

    @ParameterizedTest
    @EnumSource
    void the_limit_holds_while_processes_are_killed_and_paused(Kind kind) throws IOException {
        List<Admission> leased = admissions(kind, true);
        long byLease = leased.stream().filter(Admission::leased).count();
        assertThat(byLease).isGreaterThan(100);
        assertThat(mostInUse(kind, leased)).isLessThanOrEqualTo(kind.limit().permits());

        List<Admission> exact = admissions(kind, false);
        assertThat(mostInUse(kind, exact)).isLessThanOrEqualTo(kind.limit().permits());
        System.out.printf(
                Locale.ROOT,
                "%s: %d admitted, %d of them by leases; at most %d of %d at once; %.0f a second where counting each gives %.0f%n",
                kind,
                leased.size(),
                byLease,
                mostInUse(kind, leased),
                kind.limit().permits(),
                perSecond(leased),
                perSecond(exact));
    }

    private List<Admission> admissions(Kind kind, boolean leased) throws IOException {
        processes.clear();
        files.clear();
        String policy = "fire-" + kind + "-" + leased;
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(start(kind, policy, leased));
        }
        for (ChildJvm process : processes) {
            process.awaitLine("ready"::equals, PATIENCE);
        }
        // Without leases, the run serves for comparison: one round is enough.
        for (int round = 0; round < (leased ? ROUNDS : 1); round++) {
            awaitBursts(BURSTS_PER_ROUND);
            if (!leased) {
                continue;
            }
            for (int i = 0; i < PAUSES_PER_ROUND; i++) {
                // At any moment, so that some pauses are within a burst, with leased permits.
                processes.get(1).pause();
                awaitBursts(3);
                processes.get(1).resume();
                awaitBursts(1);
            }
            processes.get(PROCESSES - 1).kill();
            processes.set(PROCESSES - 1, start(kind, policy, leased));
            processes.get(PROCESSES - 1).awaitLine("ready"::equals, PATIENCE);
        }
        for (ChildJvm process : processes) {
            process.send("end");
            process.awaitExit(PATIENCE);
        }
        List<Admission> all = new ArrayList<>();
        for (Path file : files) {
            all.addAll(BurstProcess.read(file));
        }
        all.sort(Comparator.comparingLong(Admission::beforeNanos));
        return all;
    }

    private ChildJvm start(Kind kind, String policy, boolean leased) {
        Path file = folder.resolve(policy + "-" + files.size());
        files.add(file);
        return ChildJvm.of(BurstProcess.class)
                .shortLived()
                .jvmOptions("-Xmx128m")
                .start(
                        REDIS.url(),
                        kind.name(),
                        policy,
                        Boolean.toString(leased),
                        Integer.toString(files.size()),
                        file.toString());
    }

    /** Waits for bursts of the process that is never paused. Lines of earlier bursts are skipped. */
    private void awaitBursts(int bursts) {
        long now = System.nanoTime();
        for (int i = 0; i < bursts; i++) {
            processes
                    .get(0)
                    .awaitLine(
                            line -> line.startsWith(BurstProcess.BURST)
                                    && Long.parseLong(line.substring(BurstProcess.BURST.length())) > now,
                            PATIENCE);
        }
    }

    /**
     * A lower bound of the highest number of permits in use: the maximum, over all spans of time, of the permits spent in the span less
     * those that the limit refills in it. Spans are shorter than the window, or than two seconds for a bucket.
     */
    private static long mostInUse(Kind kind, List<Admission> admissions) {
        long longest = kind == Kind.WINDOW ? BurstProcess.PERIOD.toNanos() : 2 * BurstProcess.PERIOD.toNanos();
        double refilledPerNano = kind == Kind.WINDOW ? 0 : 1e-9 * BurstProcess.PERMITS_PER_SECOND;
        long most = 0;
        List<Long> ends = new ArrayList<>();
        for (int i = admissions.size() - 1; i >= 0; i--) {
            Admission first = admissions.get(i);
            int at = Collections.binarySearch(ends, first.afterNanos());
            ends.add(at < 0 ? -at - 1 : at, first.afterNanos());
            for (int k = 0; k < ends.size(); k++) {
                long span = ends.get(k) - first.beforeNanos();
                if (span >= longest) {
                    break;
                }
                most = Math.max(most, k + 1 - (long) (refilledPerNano * span));
            }
        }
        return most;
    }

    private static double perSecond(List<Admission> admissions) {
        long nanos = admissions.get(admissions.size() - 1).beforeNanos()
                - admissions.get(0).beforeNanos();
        return admissions.size() * 1e9 / nanos;
    }
}
