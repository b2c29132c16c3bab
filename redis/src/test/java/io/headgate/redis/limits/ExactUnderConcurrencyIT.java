package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.Admissions.Reply;
import io.headgate.redis.limits.RequestProcess.Kind;
import io.headgate.redis.limits.RequestProcess.Order;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Four processes request permits of one key; where libfaketime is installed, their clocks differ by hours and days. By Redis's time no
 * window ever admits too many permits, a shaper spaces the admitted requests, and no denial is wrong.
 */
class ExactUnderConcurrencyIT {

    private static final RedisServer REDIS = RedisServer.shared();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "hg:*:exact-*");

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> SKEWS = List.of("+0", "+1h", "-1h", "+10d");
    private static final int REQUESTS = 20_000;
    private static final long BEFORE_MIDNIGHT_MICROS = 50_000;
    private static final long DAY_MICROS = 86_400_000_000L;

    private static final List<ChildJvm> PROCESSES = new ArrayList<>();

    @BeforeAll
    static void start() {
        SKEWS.forEach(skew -> PROCESSES.add(process(skew)));
    }

    @AfterAll
    static void stop() {
        PROCESSES.forEach(ChildJvm::close);
    }

    @ParameterizedTest
    @CsvSource({"1, 1500", "7, 5000", "100, 25000", "10000, 125000"})
    void no_window_holds_too_many_and_no_denial_is_wrong(long limit, long windowMicros, @TempDir Path folder)
            throws IOException {
        List<Reply> replies =
                runProcesses(folder, "exact-" + limit, Kind.SLIDING_WINDOW, windowMicros, limit, limit, limit, limit);
        assertThat(Admissions.faults(replies, windowMicros)).isEmpty();
    }

    @Test
    void each_process_is_decided_by_its_own_limit_when_limits_differ(@TempDir Path folder) throws IOException {
        List<Reply> replies = runProcesses(folder, "exact-mixed", Kind.SLIDING_WINDOW, 25_000, 100, 40, 100, 40);
        assertThat(Admissions.faults(replies, 25_000)).isEmpty();
    }

    /** A permit takes 350.05 us, so the reported times are rounded. */
    @Test
    void a_shaper_spaces_the_admitted_requests_and_no_denial_is_wrong(@TempDir Path folder) throws IOException {
        List<Reply> replies = runProcesses(folder, "exact-turns", Kind.SHAPER, 7_001, 20, 20, 20, 20);
        assertThat(ShaperTurns.faults(replies, 20, 20, 7_001)).isEmpty();
    }

    /** The zone is chosen so that midnight is during the requests. A process that starts late sees one day only. */
    @Test
    void no_day_admits_too_many_and_no_denial_is_wrong(@TempDir Path folder) throws IOException {
        long midnightMicros = chooseMidnightMicros();
        long offsetMicros = Math.floorMod(-midnightMicros, DAY_MICROS);
        if (offsetMicros > DAY_MICROS / 2) {
            offsetMicros -= DAY_MICROS;
        }
        List<Reply> replies = runProcesses(
                midnightMicros - BEFORE_MIDNIGHT_MICROS,
                folder,
                "exact-day",
                Kind.DAY,
                offsetMicros,
                2000,
                2000,
                2000,
                2000);
        Map<Boolean, List<Reply>> byDay =
                replies.stream().collect(Collectors.partitioningBy(reply -> reply.atMicros() < midnightMicros));
        byDay.forEach((before, day) -> {
            System.out.printf("%s midnight: %d requests%n", before ? "before" : "since", day.size());
            assertThat(Admissions.faults(day, DAY_MICROS)).isEmpty();
        });
        assertThat(byDay.get(false)).isNotEmpty();
    }

    /** A whole second of Redis's clock, one or two seconds from now, to be midnight. Also deletes the count of earlier days. */
    private static long chooseMidnightMicros() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            probe.command("DEL", "hg:cw:exact-day:limit:hot");
        }
        return (microsOfRedis() / 1_000_000 + 2) * 1_000_000;
    }

    private static long microsOfRedis() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            List<?> time = (List<?>) Objects.requireNonNull(probe.command("TIME"));
            return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000
                    + Long.parseLong(String.valueOf(time.get(1)));
        }
    }

    private static List<Reply> runProcesses(Path folder, String policy, Kind kind, long lengthMicros, long... limits)
            throws IOException {
        return runProcesses(0, folder, policy, kind, lengthMicros, limits);
    }

    private static List<Reply> runProcesses(
            long notBeforeMicros, Path folder, String policy, Kind kind, long lengthMicros, long... limits)
            throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < limits.length; i++) {
            Path file = folder.resolve(policy + "-" + i);
            files.add(file);
            PROCESSES.get(i).send(new Order(policy, kind, limits[i], lengthMicros, REQUESTS, i, file).line());
        }
        for (int i = 0; i < limits.length; i++) {
            checkSkew(PROCESSES.get(i).awaitLine(line -> line.startsWith("clock "), PATIENCE), SKEWS.get(i));
        }
        Await.until("the time to begin", PATIENCE, () -> microsOfRedis() >= notBeforeMicros);
        PROCESSES.forEach(process -> process.send("go"));
        PROCESSES.forEach(process -> process.awaitLine(line -> line.equals("done " + REQUESTS), PATIENCE));
        List<Reply> replies = new ArrayList<>();
        for (Path file : files) {
            Files.readAllLines(file).forEach(line -> replies.add(Reply.parse(line)));
        }
        long allowed = replies.stream().filter(Reply::allowed).count();
        System.out.printf("%s: %d requests, %d allowed%n", policy, replies.size(), allowed);
        assertThat(allowed).isBetween(20L, replies.size() - 20L);
        return replies;
    }

    private static ChildJvm process(String skew) {
        ChildJvm.Builder process = ChildJvm.of(RequestProcess.class).shortLived();
        if (WrongClock.isAvailable()) {
            process = process.wrongClock(skew);
        }
        return process.start(REDIS.url());
    }

    private static void checkSkew(String line, String skew) {
        if (!WrongClock.isAvailable()) {
            System.out.println("no libfaketime: the clocks of the processes agree");
            return;
        }
        long minutes =
                Math.round((Long.parseLong(line.substring("clock ".length())) - System.currentTimeMillis()) / 60_000.0);
        assertThat(minutes)
                .as("minutes that a clock set %s is off", skew)
                .isEqualTo(
                        switch (skew) {
                            case "+1h" -> 60;
                            case "-1h" -> -60;
                            case "+10d" -> 14_400;
                            default -> 0;
                        });
    }
}
