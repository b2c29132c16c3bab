package io.headgate.config.internal.stores;

import io.headgate.config.sources.PolicyInstance;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The reports of instances. Each has a lease, which its instance extends, so that the store deletes the report of a killed one. */
public final class InstanceReports {

    private static final int MAX_REASON = 1000;
    private static final int LINES = 4;

    /** Reports have up to 4 kB. */
    private static final int MAX_REPORT_BYTES = 8000;

    /** The first period of previews. Each further one is twice as long, up to {@link #longestPeriod}. */
    private static final long FIRST_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final long LONGEST_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int BYTES_PER_SECOND = 1000;

    private final StoreLeases leases;
    private final StoreKeys keys;
    private final LongSupplier nanoTime;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile @Nullable String report;

    /** Empty if there is none. */
    private volatile String preview = "";

    // Guarded by the lock.
    private Optional<String> lease = Optional.empty();
    private String written = "";

    private String writtenPreview = "";
    private long previewWrittenNanos;
    private long periodNanos = FIRST_PERIOD_NANOS;

    /** Creates the report of this instance, which is not written yet. */
    public InstanceReports(StoreLeases leases, StoreKeys keys) {
        this(leases, keys, System::nanoTime);
    }

    InstanceReports(StoreLeases leases, StoreKeys keys, LongSupplier nanoTime) {
        this.leases = leases;
        this.keys = keys;
        this.nanoTime = nanoTime;
    }

    /** Replaces the report of this instance, which {@link #write} writes. */
    public void set(PolicyInstance now) {
        report = String.join(
                "\n",
                now.name(),
                now.version(),
                Long.toString(now.since().toEpochMilli()),
                now.rejected().map(InstanceReports::line).orElse(""));
        preview = now.preview().map(PreviewText::encode).orElse("");
    }

    private static String line(String text) {
        String first = text.lines().findFirst().orElse("");
        return first.substring(0, Math.min(MAX_REASON, first.length()));
    }

    /**
     * Writes the report if it has changed, and extends its lease if that is wanted. Writes the counts of the same preview only now and then:
     * they change all the time, and each write adds to the history of the store.
     *
     * @throws StoreFailure if the store does not reply, or rejects the call
     */
    public void write(boolean extended) {
        String now = report;
        if (now == null) {
            return;
        }
        writing.lock();
        try {
            if (extended && lease.isPresent()) {
                extend(lease.get());
            }
            if (lease.isEmpty()) {
                lease = Optional.of(leases.grant());
                written = "";
                writtenPreview = "";
            }
            if (!now.equals(written)) {
                put(lease.get(), keys.instances(), now);
                written = now;
            }
            writePreview(lease.get(), preview);
        } finally {
            writing.unlock();
        }
    }

    private void writePreview(String current, String found) {
        boolean isOther = !PreviewText.head(found).equals(PreviewText.head(writtenPreview));
        long now = nanoTime.getAsLong();
        boolean isDue = now - previewWrittenNanos >= periodNanos;
        if (found.equals(writtenPreview) || !(isOther || isDue)) {
            return;
        }
        put(current, keys.previews(), found);
        periodNanos = isOther ? FIRST_PERIOD_NANOS : Math.min(2 * periodNanos, longestPeriod(found));
        writtenPreview = found;
        previewWrittenNanos = now;
    }

    /** 30 seconds, and one second more for each kB, so that a process writes 1 kB per second at most. */
    private static long longestPeriod(String text) {
        return LONGEST_PERIOD_NANOS + TimeUnit.SECONDS.toNanos(text.length() / BYTES_PER_SECOND);
    }

    private void extend(String extended) {
        try {
            leases.extend(extended);
        } catch (StoreFailure e) {
            forget(e);
        }
    }

    private void put(String current, String prefix, String now) {
        try {
            leases.put(current, prefix, now);
        } catch (StoreFailure e) {
            forget(e);
            throw e;
        }
    }

    /** Forgets a lease that has expired, as during an outage, so that the next write requests another one. */
    private void forget(StoreFailure failure) {
        if (failure.kind() != StoreFailure.Kind.NO_LEASE) {
            throw failure;
        }
        lease = Optional.empty();
    }

    /** Removes the report. If this fails, it expires. */
    public void leave() {
        writing.lock();
        try {
            lease.ifPresent(leases::revoke);
        } catch (StoreFailure e) {
            return; // it expires
        } finally {
            report = null;
            writing.unlock();
        }
    }

    /** Returns the reports of all instances without their previews, by name. */
    public List<PolicyInstance> all() {
        return combined(leases.texts(keys.instances(), MAX_REPORT_BYTES), Map.of());
    }

    /** Returns the reports of all instances, by name. */
    public List<PolicyInstance> previews() {
        Map<String, String> reports = leases.texts(keys.instances(), MAX_REPORT_BYTES);
        return combined(reports, leases.texts(keys.previews(), PreviewText.MAX_BYTES));
    }

    private static List<PolicyInstance> combined(Map<String, String> texts, Map<String, String> previews) {
        return texts.entrySet().stream()
                .flatMap(text -> instance(text.getValue(), Optional.ofNullable(previews.get(text.getKey()))).stream())
                .sorted(Comparator.comparing(PolicyInstance::name))
                .toList();
    }

    /** Returns a report; empty if another program wrote it. */
    private static Optional<PolicyInstance> instance(String text, Optional<String> found) {
        String[] lines = text.split("\n", -1);
        if (lines.length != LINES) {
            return Optional.empty();
        }
        try {
            return Optional.of(new PolicyInstance(
                    lines[0],
                    lines[1],
                    Instant.ofEpochMilli(Long.parseLong(lines[2])),
                    Optional.of(lines[3]).filter(reason -> !reason.isEmpty()),
                    found.flatMap(PreviewText::decode)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
