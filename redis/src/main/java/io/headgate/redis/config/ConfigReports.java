package io.headgate.redis.config;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The script calls of the reports of instances, with the report of this one. Without I/O. Safe for use by any number of threads. */
final class ConfigReports {

    /** How long a report is valid: some times longer than the period at which it is written again. */
    static final int LEASE_SECONDS = 20;

    /** The most reports that are returned. */
    private static final int MAX_REPORTS = 10_000;

    private static final int MAX_REASON = 1000;
    private static final int LINES = 5;

    private static final ScriptFiles FILES = ScriptFiles.in("config", "instances");
    private static final Script REPORT = FILES.script("report", Map.of());
    private static final Script LEAVE = FILES.script("leave", Map.of());
    private static final Script INSTANCES = FILES.script("instances", Map.of());

    /** All scripts. */
    static final List<Script> ALL = List.of(REPORT, LEAVE, INSTANCES);

    private final String[] keys;
    private final String id = UUID.randomUUID().toString();
    private volatile @Nullable String report;

    /** The report that Redis may have. */
    private volatile @Nullable String sent;

    /** The report that Redis has confirmed. */
    private volatile @Nullable String confirmed;

    ConfigReports(String key) {
        this.keys = new String[] {key};
    }

    /** Replaces the report of this instance, which the next call writes. */
    void set(InstanceReport now) {
        String reason = now.rejected().map(ConfigReports::line).orElse("");
        report = String.join(
                "\n",
                id,
                line(now.instance()),
                now.version(),
                Long.toString(now.since().toEpochMilli()),
                reason);
    }

    private static String line(String text) {
        String first = text.lines().findFirst().orElse("");
        return first.substring(0, Math.min(MAX_REASON, first.length()));
    }

    /** Whether there is a report that Redis has not confirmed. */
    boolean isChanged() {
        String now = report;
        return now != null && !now.equals(confirmed);
    }

    /** Writes the report, or extends its lease; empty if there is none. The call returns the report, to {@linkplain #confirm confirm} it. */
    Optional<ScriptCall<String>> write() {
        String now = report;
        if (now == null) {
            return Optional.empty();
        }
        String before = sent;
        sent = now;
        byte[][] arguments = {utf8(now), utf8(before == null ? now : before), Packed.text(LEASE_SECONDS)};
        return Optional.of(new ScriptCall<>(REPORT, keys, arguments, reply -> now));
    }

    void confirm(String written) {
        confirmed = written;
    }

    /** Removes the report; empty if none was written. */
    Optional<ScriptCall<String>> leave() {
        String before = sent;
        return before == null
                ? Optional.empty()
                : Optional.of(new ScriptCall<>(LEAVE, keys, new byte[][] {utf8(before)}, reply -> ""));
    }

    ScriptCall<List<InstanceReport>> instances() {
        byte[][] arguments = {Packed.text(MAX_REPORTS)};
        return new ScriptCall<>(INSTANCES, keys, arguments, reply -> reports(ConfigScripts.parts(reply)));
    }

    /** A report that was written during an outage may be there beside the next one of the instance. */
    private static List<InstanceReport> reports(List<String> all) {
        Map<String, InstanceReport> byId = new LinkedHashMap<>();
        for (String text : all) {
            String[] lines = text.split("\n", LINES);
            InstanceReport report = new InstanceReport(
                    lines[1],
                    lines[2],
                    Instant.ofEpochMilli(Long.parseLong(lines[3])),
                    Optional.of(lines[4]).filter(reason -> !reason.isEmpty()));
            byId.merge(lines[0], report, (one, other) -> one.since().isAfter(other.since()) ? one : other);
        }
        Collection<InstanceReport> reports = byId.values();
        return reports.stream()
                .sorted((one, other) -> one.instance().compareTo(other.instance()))
                .toList();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
