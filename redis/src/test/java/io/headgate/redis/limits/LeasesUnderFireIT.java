package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.Spender.Admission;
import io.headgate.redis.limits.Spender.Kind;
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
 * Four processes spend leases of one key; some are killed while they hold permits, some stopped for longer than a lease
 * lasts and then resumed. Their admissions, by the monotonic clock that they share, never exceed the limit.
 */
class LeasesUnderFireIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PROCESSES = 4;
    private static final int ROUNDS = 4;
    private static final int BURSTS_A_ROUND = 12;
    private static final int STOPS_A_ROUND = 8;

    private final Path folder;
    private final List<ChildJvm> processes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    LeasesUnderFireIT(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void stop() {
        processes.forEach(ChildJvm::close);
    }

    @ParameterizedTest
    @EnumSource
    void the_limit_holds_whichever_process_is_killed_or_stopped(Kind kind) throws IOException {
        List<Admission> leased = admissions(kind, true);
        long byLease = leased.stream().filter(Admission::leased).count();
        assertThat(byLease).isGreaterThan(100);
        assertThat(mostAtOnce(kind, leased)).isLessThanOrEqualTo(kind.limit().permits());

        List<Admission> exact = admissions(kind, false);
        assertThat(mostAtOnce(kind, exact)).isLessThanOrEqualTo(kind.limit().permits());
        System.out.printf(
                Locale.ROOT,
                "%s: %d admitted, %d of them by leases; at most %d of %d at once; %.0f a second where counting each gives %.0f%n",
                kind,
                leased.size(),
                byLease,
                mostAtOnce(kind, leased),
                kind.limit().permits(),
                aSecond(leased),
                aSecond(exact));
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
        // Without leases there is only a figure to compare with: one round is enough.
        for (int round = 0; round < (leased ? ROUNDS : 1); round++) {
            awaitBursts(BURSTS_A_ROUND);
            if (!leased) {
                continue;
            }
            for (int i = 0; i < STOPS_A_ROUND; i++) {
                // At any moment, so that some stops are within a burst, with leased permits.
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
            all.addAll(Spender.read(file));
        }
        all.sort(Comparator.comparingLong(Admission::beforeNanos));
        return all;
    }

    private ChildJvm start(Kind kind, String policy, boolean leased) {
        Path file = folder.resolve(policy + "-" + files.size());
        files.add(file);
        return ChildJvm.of(Spender.class)
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

    /** Waits for bursts of the process that is never stopped. Lines of earlier bursts are skipped. */
    private void awaitBursts(int bursts) {
        long now = System.nanoTime();
        for (int i = 0; i < bursts; i++) {
            processes
                    .get(0)
                    .awaitLine(
                            line -> line.startsWith(Spender.BURST)
                                    && Long.parseLong(line.substring(Spender.BURST.length())) > now,
                            PATIENCE);
        }
    }

    /**
     * A lower bound of the most permits in use at once: over all spans of up to two seconds, the permits spent in the span, less those
     * that the limit refills in it.
     */
    private static long mostAtOnce(Kind kind, List<Admission> admissions) {
        long longest = kind == Kind.WINDOW ? Spender.PERIOD.toNanos() : 2 * Spender.PERIOD.toNanos();
        double givenPerNano = kind == Kind.WINDOW ? 0 : 1e-9 * Spender.PERMITS_A_SECOND;
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
                most = Math.max(most, k + 1 - (long) (givenPerNano * span));
            }
        }
        return most;
    }

    private static double aSecond(List<Admission> admissions) {
        long nanos = admissions.get(admissions.size() - 1).beforeNanos()
                - admissions.get(0).beforeNanos();
        return admissions.size() * 1e9 / nanos;
    }
}
