package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Admissions.Reply;
import io.headgate.redis.Hammer.Order;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Four processes whose clocks are hours apart ask for one key: no window ever holds too many permits, and no denial is
 * wrong, by Redis's time.
 */
class ExactUnderConcurrencyIT {

    private static final RedisServer REDIS = RedisServer.shared();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "hg:sw:exact-*");

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> SKEWS = List.of("+0", "+1h", "-1h", "+30m");
    private static final int REQUESTS = 30_000;

    private static final List<ChildJvm> PROCESSES = new ArrayList<>();

    @BeforeAll
    static void start() {
        SKEWS.forEach(skew -> PROCESSES.add(process(skew)));
    }

    @AfterAll
    static void stop() {
        // Told to end, not killed: else faketime leaves shared memory behind, which a later process may take for its
        // own.
        PROCESSES.stream().filter(ChildJvm::isAlive).forEach(process -> process.send("end"));
        PROCESSES.forEach(process -> process.awaitExit(PATIENCE));
        PROCESSES.forEach(ChildJvm::close);
    }

    @ParameterizedTest
    @CsvSource({"1, 1500", "7, 5000", "100, 25000", "10000, 125000"})
    void no_window_holds_too_many_and_no_denial_is_wrong(long limit, long windowMicros, @TempDir Path folder)
            throws IOException {
        List<Reply> replies = hammer(folder, "exact-" + limit, windowMicros, limit, limit, limit, limit);
        assertThat(Admissions.faults(replies, windowMicros)).isEmpty();
    }

    @Test
    void each_process_is_held_to_its_own_limit_when_they_disagree(@TempDir Path folder) throws IOException {
        List<Reply> replies = hammer(folder, "exact-mixed", 25_000, 100, 40, 100, 40);
        assertThat(Admissions.faults(replies, 25_000)).isEmpty();
    }

    private static List<Reply> hammer(Path folder, String policy, long windowMicros, long... limits)
            throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < limits.length; i++) {
            Path file = folder.resolve(policy + "-" + i);
            files.add(file);
            PROCESSES.get(i).send(new Order(policy, limits[i], windowMicros, REQUESTS, i, file).line());
        }
        for (int i = 0; i < limits.length; i++) {
            checkSkew(PROCESSES.get(i).awaitLine(line -> line.startsWith("clock "), PATIENCE), SKEWS.get(i));
        }
        PROCESSES.forEach(process -> process.send("go"));
        PROCESSES.forEach(process -> process.awaitLine(line -> line.equals("done " + REQUESTS), PATIENCE));
        List<Reply> replies = new ArrayList<>();
        for (Path file : files) {
            Files.readAllLines(file).forEach(line -> replies.add(Reply.parse(line)));
        }
        long allowed = replies.stream().filter(Reply::allowed).count();
        System.out.printf("%s: %d asked, %d allowed%n", policy, replies.size(), allowed);
        assertThat(allowed).isBetween(20L, replies.size() - 20L);
        return replies;
    }

    private static ChildJvm process(String skew) {
        ChildJvm.Builder process = ChildJvm.of(Hammer.class);
        if (canFakeTime()) {
            process = process.prefix("faketime", "-f", skew);
        }
        return process.start(REDIS.url());
    }

    private static void checkSkew(String line, String skew) {
        if (!canFakeTime()) {
            System.out.println("no faketime on the PATH: the clocks of the processes agree");
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
                            case "+30m" -> 30;
                            default -> 0;
                        });
    }

    private static boolean canFakeTime() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "faketime")));
    }
}
