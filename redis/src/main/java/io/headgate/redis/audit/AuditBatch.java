package io.headgate.redis.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Bounds how many records a process writes. Frequent ones are collected for a second: equal ones are one record with their {@linkplain
 * AuditRecord#count() number}. Of other actions, the first {@value #MAX_AT_ONCE} in a second are written at once, and further ones are
 * collected, too.
 *
 * <p>Beyond {@value #MAX_DISTINCT} different records of an action and operator in a second, further ones are counted in one record for each
 * outcome, without target, address and details. Never blocks, and is safe for use by any number of threads.
 */
public final class AuditBatch {

    /** The most different collected records of an action and operator in a second. */
    public static final int MAX_DISTINCT = 50;

    /** The most records of an action and operator in a second that are written at once. */
    public static final int MAX_AT_ONCE = 10;

    /** The detail of a record that counts others. */
    static final String OTHERS = "others in this second";

    private static final Executor AFTER_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    /** Then the write was not scheduled, for example because no thread could be created. */
    private static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Consumer<List<AuditRecord>> writer;
    private final Executor afterASecond;
    private final LongSupplier nanoTime;
    private Map<AuditRecord, Sum> sums = new LinkedHashMap<>();
    private final Map<String, Integer> atOnce = new HashMap<>();
    private final Map<String, Integer> distinct = new HashMap<>();
    private boolean scheduled;
    private long scheduledNanos;

    /** How often a record was added, and the sum of its amounts. */
    private static final class Sum {
        private final String unit;
        private long count;
        private long amount;

        private Sum(String unit) {
            this.unit = unit;
        }

        private AuditRecord of(AuditRecord record) {
            AuditRecord counted = record.withCount(count);
            return unit.isEmpty() ? counted : counted.withStates(record.before(), "{\"" + unit + "\":" + amount + "}");
        }
    }

    /**
     * Creates a batch.
     *
     * @param writer writes 1 to {@value RedisAuditLog#MAX_READ} records without blocking
     */
    public AuditBatch(Consumer<List<AuditRecord>> writer) {
        this(writer, AFTER_A_SECOND, System::nanoTime);
    }

    AuditBatch(Consumer<List<AuditRecord>> writer, Executor afterASecond, LongSupplier nanoTime) {
        this.writer = writer;
        this.afterASecond = afterASecond;
        this.nanoTime = nanoTime;
    }

    /** Writes a record at once if it is not frequent and few others of its action and operator were in this second; else adds it. */
    public void write(AuditRecord record) {
        if (!record.isFrequent() && isAtOnce(record)) {
            writer.accept(List.of(record));
        } else {
            add(record);
        }
    }

    private synchronized boolean isAtOnce(AuditRecord record) {
        if (atOnce.merge(bounded(record), 1, Integer::sum) > MAX_AT_ONCE) {
            return false;
        }
        schedule();
        return true;
    }

    /** Adds a record. */
    public void add(AuditRecord record) {
        add(record, others(record), "", 0);
    }

    /**
     * Adds a record whose state after the change is an amount, such as {@code {"permits":3}}. Equal records have the sum.
     *
     * @param unit a word in lower case; the same for all records of an action
     */
    public void add(AuditRecord record, String unit, long amount) {
        add(record, others(record), unit, amount);
    }

    /**
     * Adds a record.
     *
     * @param others counts it if there are too many; few different ones exist
     */
    void add(AuditRecord record, AuditRecord others) {
        add(record, others, "", 0);
    }

    private synchronized void add(AuditRecord record, AuditRecord others, String unit, long amount) {
        AuditRecord key = record.withCount(1);
        if (!sums.containsKey(key) && distinct.merge(bounded(record), 1, Integer::sum) > MAX_DISTINCT) {
            key = others;
        }
        Sum sum = sums.computeIfAbsent(key, added -> new Sum(unit));
        sum.count += record.count();
        sum.amount += amount;
        schedule();
    }

    /** An operator has a bound of their own, so that calls without a name cannot hide theirs. */
    private static String bounded(AuditRecord record) {
        return record.action() + " " + record.operator();
    }

    private static AuditRecord others(AuditRecord record) {
        return record.withFrom("")
                .withTarget("")
                .withOutcome(record.outcome(), OTHERS)
                .withStates("", "")
                .withReason("")
                .withCount(1);
    }

    private void schedule() {
        long now = nanoTime.getAsLong();
        if (!scheduled || now - scheduledNanos > OVERDUE_NANOS) {
            scheduled = true;
            scheduledNanos = now;
            afterASecond.execute(this::flush);
        }
    }

    /** Writes what was collected. */
    public void flush() {
        List<AuditRecord> records = take();
        for (int i = 0; i < records.size(); i += RedisAuditLog.MAX_READ) {
            writer.accept(records.subList(i, Math.min(records.size(), i + RedisAuditLog.MAX_READ)));
        }
    }

    private synchronized List<AuditRecord> take() {
        List<AuditRecord> records = new ArrayList<>();
        sums.forEach((record, sum) -> records.add(sum.of(record)));
        sums = new LinkedHashMap<>();
        distinct.clear();
        atOnce.clear();
        scheduled = false;
        return records;
    }
}
