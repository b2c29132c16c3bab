package io.headgate.server;

import static io.headgate.server.Finding.notTold;
import static io.headgate.server.Finding.note;
import static io.headgate.server.Finding.ok;
import static io.headgate.server.Finding.problem;
import static io.headgate.server.Finding.warning;

import java.util.Map;
import java.util.Optional;

/** Checks what a restart forgets. */
final class DoctorPersistence {

    private static final String CHECK = "persistence";

    private DoctorPersistence() {}

    static Finding look(Examined redis) {
        return redis.info("persistence")
                .map(persistence -> look(redis, persistence))
                .orElseGet(() -> notTold(CHECK, "INFO"));
    }

    private static Finding look(Examined redis, Map<String, String> persistence) {
        if ("err".equals(persistence.get("rdb_last_bgsave_status"))
                || "err".equals(persistence.get("aof_last_write_status"))) {
            return problem(
                    CHECK,
                    "the last snapshot or write to the append-only file failed; Redis refuses writes then, unless told"
                            + " otherwise",
                    "look into its log: the disk is full, or the folder may not be written");
        }
        if ("1".equals(persistence.get("aof_enabled"))) {
            String sync = redis.setting("appendfsync").orElse("everysec, unless told");
            return sync.equals("no")
                    ? warning(
                            CHECK,
                            "append-only file, appendfsync no: a crash of the machine forgets some 30 seconds of counts",
                            "CONFIG SET appendfsync everysec")
                    : ok(
                            CHECK,
                            "append-only file, appendfsync " + sync
                                    + (sync.equals("always")
                                            ? ""
                                            : ": a crash of the machine forgets about a second of counts"));
        }
        Optional<String> save = redis.setting("save");
        if (save.isEmpty()) {
            return note(
                    CHECK,
                    "no append-only file; whether it takes snapshots is not known: this user may not ask CONFIG",
                    "a restart forgets all counts since the last snapshot; see the console of your service");
        }
        return save.get().isEmpty()
                ? warning(
                        CHECK,
                        "none: a restart forgets all counts, and every limit starts anew",
                        "CONFIG SET appendonly yes, unless that is all right for your limits")
                : note(
                        CHECK,
                        "snapshots (save " + save.get() + "): a restart forgets all counts since the last one",
                        "CONFIG SET appendonly yes where limits span hours or days");
    }
}
