package io.headgate.server.doctor;

import io.headgate.limits.Fallback;
import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisInspector.Reply;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Checks Redis's clock, the round trip, slow scripts of Headgate, and the time after which Redis reports that it is busy. */
final class DoctorSpeed {

    private static final int PINGS = 21;
    private static final double SLOW_MILLIS = 20;

    /** Half of the default time budget of a decision, in an engine whose timeout (here a minute) is longer than the budget. */
    private static final double LATE_MILLIS =
            Fallback.local().budget(Duration.ofMinutes(1)).toNanos() / 2e6;

    private static final int SLOWLOG_ENTRIES = 128;
    private static final long LONG_BUSY_MILLIS = 5000;
    private static final double MAX_CLOCK_OFFSET_SECONDS = 2;

    private DoctorSpeed() {}

    static List<Finding> check(RedisInspector redis, String keyPrefix) {
        List<Finding> findings = new ArrayList<>();
        findings.add(clock(redis));
        findings.add(roundTrip(redis));
        findings.add(slowScripts(redis, keyPrefix));
        findings.add(busy(redis));
        return findings;
    }

    private static Finding clock(RedisInspector redis) {
        Optional<Instant> first = time(redis);
        Instant here = Instant.now();
        Optional<Instant> second = time(redis);
        if (first.isEmpty() || second.isEmpty()) {
            return Finding.unavailable("clock", "TIME");
        }
        if (!second.get().isAfter(first.get())) {
            return Finding.problem(
                    "clock",
                    "it stood still or ran backwards between two reads",
                    "check how the clock of that machine is set: slew it (chrony, ntpd), do not step it");
        }
        double ahead = Duration.between(here, first.get()).toNanos() / 1e9;
        String found = String.format(
                Locale.ROOT,
                "runs, %.3f s %s this machine's clock (limits use only Redis's)",
                Math.abs(ahead),
                ahead < 0 ? "behind" : "ahead of");
        return Math.abs(ahead) < MAX_CLOCK_OFFSET_SECONDS
                ? Finding.ok("clock", found)
                : Finding.note(
                        "clock",
                        found,
                        "limits count correctly, but calendar windows end by Redis's clock: synchronize both machines with a time server (chrony, ntpd)");
    }

    private static Optional<Instant> time(RedisInspector redis) {
        List<?> time = redis.call("TIME").list();
        return time.size() == 2
                ? Optional.of(Instant.ofEpochSecond(
                        Long.parseLong(String.valueOf(time.get(0))),
                        1000 * Long.parseLong(String.valueOf(time.get(1)))))
                : Optional.empty();
    }

    private static Finding roundTrip(RedisInspector redis) {
        long[] nanos = new long[PINGS];
        for (int i = 0; i < PINGS; i++) {
            long start = System.nanoTime();
            redis.call("PING");
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        double median = nanos[PINGS / 2] / 1e6;
        String found = String.format(
                Locale.ROOT, "%.2f ms at the median of %d, %.2f ms at most", median, PINGS, nanos[PINGS - 1] / 1e6);
        if (median > LATE_MILLIS) {
            return Finding.warning(
                    "round trip",
                    found,
                    "a check waits 50 ms for Redis by default, and then its fallback decides: set a budget of several round trips (--budget, or budget: of a policy), or run Headgate closer to Redis");
        }
        return median > SLOW_MILLIS
                ? Finding.warning(
                        "round trip",
                        found,
                        "each decision takes at least this long: run Headgate closer to Redis, or find what keeps Redis busy")
                : Finding.ok("round trip", found);
    }

    private static Finding slowScripts(RedisInspector redis, String keyPrefix) {
        if (redis.setting("slowlog-log-slower-than").equals(Optional.of("0"))) {
            return Finding.ok(
                    "slow scripts", "not known: slowlog-log-slower-than is 0, so the slow log has every command");
        }
        Reply reply = redis.call("SLOWLOG", "GET", Integer.toString(SLOWLOG_ENTRIES));
        if (reply.error().isPresent()) {
            return Finding.unavailable("slow scripts", "SLOWLOG");
        }
        List<Long> ours = reply.list().stream()
                .filter(entry -> entry instanceof List<?> fields && fields.size() > 3 && isOurs(fields, keyPrefix))
                .map(entry -> (Long) ((List<?>) entry).get(2))
                .toList();
        if (ours.isEmpty()) {
            return Finding.ok("slow scripts", "none of Headgate's in the slow log");
        }
        double slowest = ours.stream().mapToLong(Long::longValue).max().orElse(0) / 1e3;
        return Finding.warning(
                "slow scripts",
                String.format(
                        Locale.ROOT,
                        "%s of Headgate's in the slow log, the slowest %.1f ms",
                        Words.count(ours.size(), "call"),
                        slowest),
                "SLOWLOG GET shows the keys; a script takes some microseconds, so check for swapping, forks for snapshots, or an overloaded machine");
    }

    /**
     * Returns whether the entry is a script of Headgate. An entry has an id, its time, its microseconds and the command. The command of a
     * script has the SHA-1, the number of keys, and the keys; those of Headgate have the prefix.
     */
    private static boolean isOurs(List<?> entry, String keyPrefix) {
        return entry.get(3) instanceof List<?> command
                && command.size() > 3
                && String.valueOf(command.get(0)).toUpperCase(Locale.ROOT).startsWith("EVAL")
                && !String.valueOf(command.get(2)).equals("0")
                && String.valueOf(command.get(3)).startsWith(keyPrefix + ":");
    }

    private static Finding busy(RedisInspector redis) {
        Optional<String> setting = redis.setting("busy-reply-threshold").or(() -> redis.setting("lua-time-limit"));
        if (setting.isEmpty()) {
            return Finding.unavailable("busy scripts", "CONFIG");
        }
        long millis = Long.parseLong(setting.get());
        String found = millis == 0 ? "never returns BUSY" : "returns BUSY when a script has run for " + millis + " ms";
        return millis == 0 || millis > LONG_BUSY_MILLIS
                ? Finding.note(
                        "busy scripts",
                        found,
                        "CONFIG SET busy-reply-threshold 5000 (before 7.0: lua-time-limit), so that a stuck script of any program is reported, and SCRIPT KILL can end it")
                : Finding.ok("busy scripts", found);
    }
}
