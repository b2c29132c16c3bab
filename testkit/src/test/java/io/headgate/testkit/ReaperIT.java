package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.internal.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A JVM leaves neither processes nor files, however it ends. */
class ReaperIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Path temporary;

    ReaperIT(@TempDir Path temporary) {
        this.temporary = temporary;
    }

    @ParameterizedTest
    @CsvSource({
        "redis, TERM",
        "redis, INT",
        "redis, HUP",
        "redis, KILL",
        "cluster, TERM",
        "cluster, KILL",
        "redis-of-a-child, TERM",
        "redis-of-a-child, KILL"
    })
    void a_jvm_that_a_signal_ends_leaves_no_processes_and_no_files(String what, String signal) {
        try (ChildJvm child = start(what)) {
            List<ProcessHandle> processes = child.descendants();
            assertThat(processes).anyMatch(process -> !Processes.isReaper(process));
            assertThat(redisFolders()).isNotEmpty();

            Processes.signal(signal, child.processId());

            child.awaitExit(LONG);
            awaitCleanup(processes);
        }
    }

    @Test
    void killing_a_child_and_its_descendants_deletes_its_files() {
        try (ChildJvm child = start("redis")) {
            List<ProcessHandle> processes = child.descendants();

            // Kills the reaper, too, so this deletes the files itself.
            child.kill();

            awaitCleanup(processes);
        }
    }

    @Test
    void a_redis_that_was_closed_leaves_no_reaper() {
        long before = reapers();
        RedisServer redis = RedisServer.startOwn();
        assertThat(reapers()).isGreaterThan(before);

        redis.close();

        assertThat(reapers()).isEqualTo(before);
    }

    @Test
    void a_start_deletes_only_folders_whose_owner_has_ended() throws IOException {
        // No process holds its lock.
        Path abandoned = Files.createDirectory(temporary.resolve("headgate-redis-1-abandoned"));
        Files.createFile(abandoned.resolve("owner.lock"));
        Files.createFile(abandoned.resolve("dump.rdb"));
        // Without a lock file, so not of the test kit.
        Path foreign = Files.createDirectory(temporary.resolve("headgate-redis-of-somebody"));
        Path other = Files.createDirectory(temporary.resolve("other"));

        try (ChildJvm owner = start("redis")) {
            List<Path> owned =
                    redisFolders().filter(folder -> !folder.equals(foreign)).toList();
            assertThat(owned).hasSize(1).doesNotContain(abandoned);

            try (ChildJvm second = start("redis")) {
                assertThat(redisFolders()).containsAll(owned).contains(foreign).hasSize(3);
                assertThat(second.isAlive()).isTrue();
            }
            assertThat(owner.isAlive()).isTrue();
        }
        assertThat(foreign).exists();
        assertThat(other).exists();
    }

    @Test
    void concurrent_jvms_never_delete_a_new_folder_of_each_other() {
        List<ChildJvm> children =
                Stream.generate(() -> child().start("folders")).limit(3).toList();
        try {
            for (ChildJvm child : children) {
                assertThat(child.awaitOutput(LONG)).hasSize(1_000).containsOnly("there");
                assertThat(child.awaitExit(LONG)).isZero();
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
        assertThat(redisFolders()).isEmpty();
    }

    /** Starts a child JVM, and returns when its Redis serves and the child has printed the URL. */
    private ChildJvm start(String what) {
        ChildJvm child = child().start(what);
        child.awaitLine(line -> line.startsWith("redis"), LONG);
        return child;
    }

    private ChildJvm.Builder child() {
        return ChildJvm.of(ChildMain.class).shortLived().jvmOptions("-Djava.io.tmpdir=" + temporary);
    }

    private void awaitCleanup(List<ProcessHandle> processes) {
        Await.until("the end of " + processes, LONG, () -> processes.stream().allMatch(Processes::isGone));
        Await.until("the folders of Redis to be deleted", LONG, () -> redisFolders()
                .findAny()
                .isEmpty());
    }

    private Stream<Path> redisFolders() {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("headgate-redis-")).toList().stream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long reapers() {
        return ProcessHandle.current().children().filter(Processes::isReaper).count();
    }
}
