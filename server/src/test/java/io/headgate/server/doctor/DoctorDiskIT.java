package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The doctor finds a Redis that failed to write to its disk, and whether limits cannot count because of it. */
@ServerVersionSensitive
class DoctorDiskIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** Limits files to 4 or 8 KiB, by the block size of the shell. It ignores the signal of that limit, which would end Redis. */
    private static final List<String> SMALL_FILES = List.of("sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh");

    private final Path parent;

    DoctorDiskIT(@TempDir Path parent) {
        this.parent = parent;
    }

    @Test
    void a_failed_snapshot_after_which_redis_refuses_writes_is_a_problem() throws IOException {
        try (RedisServer redis = withoutFolder("--save", "3600", "1000");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            failToSave(probe);
            assertThatThrownBy(() -> probe.command("SET", "key", "value")).hasMessageStartingWith("MISCONF");
            DoctorRun run = DoctorRun.of("--redis", redis.url());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.output())
                    .contains(
                            "problem  persistence   the last snapshot failed, and Redis rejects all writes until one succeeds: no limit can count")
                    .contains("-> see Redis's log: ");
            assertThat(run.lastLine()).startsWith("1 problem (persistence), ");
        }
    }

    @Test
    void a_failed_snapshot_after_which_redis_continues_is_a_warning() throws IOException {
        for (List<String> settings : List.of(
                List.of("--save", ""), List.of("--save", "3600", "1000", "--stop-writes-on-bgsave-error", "no"))) {
            try (RedisServer redis = withoutFolder(settings.toArray(String[]::new));
                    RedisProbe probe = RedisProbe.of(redis.url())) {
                failToSave(probe);
                assertThat(probe.command("SET", "key", "value")).isEqualTo("OK");
                DoctorRun run = DoctorRun.of("--redis", redis.url());
                assertThat(run.exitCode()).isZero();
                assertThat(run.output())
                        .contains("warning  persistence   the last snapshot failed; Redis is configured to continue");
            }
        }
    }

    @Test
    void a_failed_write_to_the_append_only_file_is_a_problem() {
        try (RedisServer redis = RedisServer.startOwnUnder(SMALL_FILES, "--appendonly", "yes");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("SET", "key", "x".repeat(10_000));
            Await.until("the write to fail", SOON, () -> "err"
                    .equals(probe.info("persistence").get("aof_last_write_status")));
            assertThatThrownBy(() -> probe.command("SET", "key", "value")).hasMessageStartingWith("MISCONF");
            DoctorRun run = DoctorRun.of("--redis", redis.url());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.output())
                    .contains(
                            "problem  persistence   the last write to the append-only file failed, and Redis rejects all writes: no limit can count");
        }
    }

    @Test
    void a_failed_rewrite_of_the_append_only_file_is_a_warning() {
        try (RedisServer redis = RedisServer.startOwnUnder(SMALL_FILES, "--rdbcompression", "no");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("SET", "key", "x".repeat(20_000));
            probe.command("BGREWRITEAOF");
            Await.until("the rewrite to fail", SOON, () -> "err"
                    .equals(probe.info("persistence").get("aof_last_bgrewrite_status")));
            DoctorRun run = DoctorRun.of("--redis", redis.url());
            assertThat(run.exitCode()).isZero();
            assertThat(run.output()).contains("warning  persistence   the last rewrite of the append-only file failed");
        }
    }

    /** A Redis whose folder was deleted after its start. */
    private RedisServer withoutFolder(String... settings) throws IOException {
        Path folder = Files.createDirectory(parent.resolve("gone"));
        String[] arguments = new String[settings.length + 2];
        arguments[0] = "--dir";
        arguments[1] = folder.toString();
        System.arraycopy(settings, 0, arguments, 2, settings.length);
        RedisServer redis = RedisServer.startOwn(arguments);
        Files.delete(folder);
        return redis;
    }

    private static void failToSave(RedisProbe probe) {
        probe.command("BGSAVE");
        Await.until("the snapshot to fail", SOON, () -> "err"
                .equals(probe.info("persistence").get("rdb_last_bgsave_status")));
    }
}
