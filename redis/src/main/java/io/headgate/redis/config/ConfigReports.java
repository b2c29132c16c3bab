package io.headgate.redis.config;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The script calls of the reports of instances, with the report of this one. Without I/O. Safe for use by any number of threads. */
final class ConfigReports {

    /** How long a report is valid: some times longer than the period at which it is written again. */
    static final int LEASE_SECONDS = 20;

    /** The most reports that are returned. */
    private static final int MAX_REPORTS = 10_000;

    /** The most bytes of all reports that are returned. */
    private static final long MAX_BYTES = 8L << 20;

    /** The most characters of a report that is written whenever it has changed. */
    private static final int SMALL = 4000;

    private static final int MAX_REASON = 1000;
    private static final int LINES = 5;

    private static final ScriptFiles FILES = ScriptFiles.in("config", "instances");
    private static final Script REPORT = FILES.script("report", Map.of());
    private static final Script LEAVE = FILES.script("leave", Map.of());
    private static final Script INSTANCES = FILES.script("instances", Map.of());

    /** All scripts. */
    static final List<Script> ALL = List.of(REPORT, LEAVE, INSTANCES);

    private final String[] keys;
    private final String id;
    private volatile @Nullable String report;

    /** The report that Redis may have. */
    private volatile @Nullable String sent;

    /** The report that Redis has confirmed. */
    private volatile @Nullable String confirmed;

    /**
     * Creates the reports of a configuration.
     *
     * @param id the id of this instance
     */
    ConfigReports(String key, String id) {
        this.keys = new String[] {key};
        this.id = id;
    }

    /** Replaces the report of this instance, which the next call writes; empty to remove it. */
    void set(Optional<String> text) {
        report = text.map(now -> id + "\n" + now).orElse(null);
    }

    /** Returns the text of a report, without its preview. */
    static String text(InstanceReport now) {
        return String.join(
                "\n",
                line(now.instance()),
                now.version(),
                Long.toString(now.since().toEpochMilli()),
                now.rejected().map(ConfigReports::line).orElse(""));
    }

    private static String line(String text) {
        String first = text.lines().findFirst().orElse("");
        return first.substring(0, Math.min(MAX_REASON, first.length()));
    }

    /**
     * Whether to write now: there is a report that Redis has not confirmed, or one to remove. A large one is written with the next extension
     * of its lease, unless the one in Redis is small or there is none.
     */
    boolean isUrgent() {
        String now = report;
        return !Objects.equals(now, confirmed) && !(isLarge(now) && isLarge(confirmed));
    }

    private static boolean isLarge(@Nullable String text) {
        return text != null && text.length() > SMALL;
    }

    /**
     * Writes the report, extends its lease, or removes it; empty if there is none. The call returns the report, to {@linkplain #confirm
     * confirm} it.
     */
    Optional<ScriptCall<Optional<String>>> write() {
        String now = report;
        String before = sent;
        if (now == null) {
            return before == null ? Optional.empty() : leave();
        }
        sent = now;
        byte[][] arguments = {utf8(now), utf8(before == null ? now : before), Packed.text(LEASE_SECONDS)};
        return Optional.of(new ScriptCall<>(REPORT, keys, arguments, reply -> Optional.of(now)));
    }

    /** Records what Redis has; empty if the report is removed. */
    void confirm(Optional<String> written) {
        confirmed = written.orElse(null);
        if (written.isEmpty()) {
            sent = null;
        }
    }

    /** Removes the report; empty if none was written. */
    Optional<ScriptCall<Optional<String>>> leave() {
        String before = sent;
        return before == null
                ? Optional.empty()
                : Optional.of(new ScriptCall<>(LEAVE, keys, new byte[][] {utf8(before)}, reply -> Optional.empty()));
    }

    /**
     * Returns the reports of all instances, the last to expire last.
     *
     * @param atOnce how many of them the script reads at once
     */
    ScriptCall<List<String>> all(int atOnce) {
        byte[][] arguments = {Packed.text(MAX_REPORTS), Packed.text(MAX_BYTES), Packed.text(atOnce)};
        return new ScriptCall<>(INSTANCES, keys, arguments, ConfigScripts::parts);
    }

    /**
     * Combines reports with their previews. A report that was written during an outage may be there beside the next one of the instance.
     */
    static List<InstanceReport> combined(List<String> reports, List<String> previews) {
        Map<String, String> previewById = new HashMap<>();
        for (String preview : previews) {
            String[] parts = preview.split("\n", 2);
            previewById.put(parts[0], parts[parts.length - 1]);
        }
        Map<String, InstanceReport> byId = new LinkedHashMap<>();
        for (String text : reports) {
            String[] lines = text.split("\n", LINES);
            InstanceReport report = new InstanceReport(
                    lines[1],
                    lines[2],
                    Instant.ofEpochMilli(Long.parseLong(lines[3])),
                    Optional.of(lines[4]).filter(reason -> !reason.isEmpty()),
                    Optional.ofNullable(previewById.get(lines[0])));
            byId.merge(lines[0], report, (one, other) -> one.since().isAfter(other.since()) ? one : other);
        }
        Collection<InstanceReport> all = byId.values();
        return all.stream()
                .sorted((one, other) -> one.instance().compareTo(other.instance()))
                .toList();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
