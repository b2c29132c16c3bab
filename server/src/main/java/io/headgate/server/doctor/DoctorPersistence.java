package io.headgate.server.doctor;

import static io.headgate.server.cli.Finding.note;
import static io.headgate.server.cli.Finding.ok;
import static io.headgate.server.cli.Finding.problem;
import static io.headgate.server.cli.Finding.unavailable;
import static io.headgate.server.cli.Finding.warning;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import java.util.Map;
import java.util.Optional;

/** Checks which data a restart loses, and whether Redis failed to write to its disk. */
final class DoctorPersistence {

    private static final String CHECK = "persistence";
    private static final String DISK = "see Redis's log: the disk is full, or its directory is missing or not writable";

    private DoctorPersistence() {}

    static Finding check(RedisInspector redis) {
        return redis.info("persistence")
                .map(persistence -> check(redis, persistence))
                .orElseGet(() -> unavailable(CHECK, "INFO"));
    }

    private static Finding check(RedisInspector redis, Map<String, String> persistence) {
        return failure(redis, persistence).orElseGet(() -> kind(redis, persistence));
    }

    /** A failed write to the disk, if any. By default, Redis then rejects writes (MISCONF). */
    private static Optional<Finding> failure(RedisInspector redis, Map<String, String> persistence) {
        if (failed(persistence, "aof_last_write_status")) {
            return Optional.of(problem(
                    CHECK,
                    "the last write to the append-only file failed, and Redis rejects all writes: no limit can count",
                    DISK));
        }
        if (failed(persistence, "rdb_last_bgsave_status")) {
            boolean refuses = !redis.setting("stop-writes-on-bgsave-error")
                            .filter(value -> value.equals("no"))
                            .isPresent()
                    && !redis.setting("save").filter(String::isEmpty).isPresent();
            return Optional.of(
                    refuses
                            ? problem(
                                    CHECK,
                                    "the last snapshot failed, and Redis rejects all writes until one succeeds: no limit can count",
                                    DISK)
                            : warning(
                                    CHECK,
                                    "the last snapshot failed; Redis is configured to continue, and a restart loses what the snapshot would contain",
                                    DISK));
        }
        return failed(persistence, "aof_last_bgrewrite_status")
                ? Optional.of(warning(
                        CHECK, "the last rewrite of the append-only file failed, and the file only grows", DISK))
                : Optional.empty();
    }

    private static boolean failed(Map<String, String> persistence, String field) {
        return "err".equals(persistence.get(field));
    }

    private static Finding kind(RedisInspector redis, Map<String, String> persistence) {
        if ("1".equals(persistence.get("aof_enabled"))) {
            String sync = redis.setting("appendfsync").orElse("everysec (default)");
            return sync.equals("no")
                    ? warning(
                            CHECK,
                            "append-only file, appendfsync no: a crash of the machine loses about 30 seconds of counts",
                            "CONFIG SET appendfsync everysec")
                    : ok(
                            CHECK,
                            "append-only file, appendfsync " + sync
                                    + (sync.equals("always")
                                            ? ""
                                            : ": a crash of the machine loses about a second of counts"));
        }
        Optional<String> save = redis.setting("save");
        if (save.isEmpty()) {
            return note(
                    CHECK,
                    "no append-only file; whether Redis takes snapshots is unknown: this user may not run CONFIG",
                    "a restart loses all counts since the last snapshot; see the console of your service");
        }
        return save.get().isEmpty()
                ? warning(
                        CHECK,
                        "none: a restart loses all counts, and every limit starts from zero",
                        "CONFIG SET appendonly yes, unless losing counts is acceptable")
                : note(
                        CHECK,
                        "snapshots (save " + save.get() + "): a restart loses all counts since the last one",
                        "CONFIG SET appendonly yes for limits that span hours or days");
    }
}
