package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Priority;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The keys of one queue or shard. {@code prefix:q:{queue}} is the header key, whose value has the counts of the queue, and the channel of
 * signals; every other key starts with it. The braces are a hash tag, which keeps the keys in one slot of a Cluster. The first shard has
 * the keys of the queue; the header key of another shard is {@code prefix:q:{queue:shard}}.
 *
 * <p>The waiting jobs of a tenant have keys of their own, a lane: they start with {@code prefix:q:{queue}:t:tenant}.
 */
public final class QueueKeys {

    private static final String TENANT = ":t:";

    private final String header;
    private final int shard;

    /** The prefix of the keys of waiting jobs. */
    private final String lane;

    private QueueKeys(String header, int shard, String lane) {
        this.header = header;
        this.shard = shard;
        this.lane = lane;
    }

    private QueueKeys(String header, int shard) {
        this(header, shard, header);
    }

    public QueueKeys(String prefix, String queue) {
        this(prefix, queue, 0);
    }

    public QueueKeys(String prefix, String queue, int shard) {
        this(prefix + ":q:{" + queue + (shard == 0 ? "" : ":" + shard) + "}", shard);
    }

    /** Returns the keys of a queue with any header key, such as the retry queue of a group. */
    public static QueueKeys at(String header) {
        return new QueueKeys(header, 0);
    }

    /** Returns the keys of the same queue, with the waiting jobs of a tenant; if empty, with the waiting jobs that have no tenant. */
    public QueueKeys lane(Optional<String> tenant) {
        return new QueueKeys(
                header, shard, tenant.map(name -> header + TENANT + name).orElse(header));
    }

    public String header() {
        return header;
    }

    public int shard() {
        return shard;
    }

    /** All keys, for scripts that claim, cancel or remove waiting jobs; the records of ready jobs are the last. */
    public String[] all() {
        String[] others = allButReadyRecords();
        String[] all = Arrays.copyOf(others, others.length + Levels.COUNT);
        putReadyRecords(all, others.length);
        return all;
    }

    /** All keys except the records of ready jobs, for scripts that do not remove ready jobs. */
    public String[] allButReadyRecords() {
        String[] all = new String[7 + 2 * Levels.COUNT];
        all[0] = header;
        all[1] = header + ":leases";
        all[2] = header + ":held";
        all[3] = header + ":records";
        all[4] = jobKeys();
        all[5] = places();
        all[6] = dead();
        putPairs(all, 7);
        return all;
    }

    /** All keys, for scripts that use done jobs; the key of the done jobs is the last. */
    public String[] allAndDone() {
        return allAnd(done());
    }

    /** All keys, for scripts of an audit; the last two are what a repair has set aside, and the done jobs. */
    public String[] audit() {
        return allAnd(header + ":aside", done());
    }

    private String[] allAnd(String... more) {
        return Stream.concat(Arrays.stream(all()), Arrays.stream(more)).toArray(String[]::new);
    }

    /** The keys for enqueueing jobs of one priority without job keys. */
    public String[] enqueue(Priority priority) {
        int level = Levels.of(priority);
        return new String[] {header, ready(level), waiting(level), readyRecords(level)};
    }

    /** The keys for enqueueing jobs of any priority, with or without job keys. */
    public String[] enqueueAny() {
        int pairs = 2 * Levels.COUNT;
        String[] keys = new String[1 + pairs + 2 + Levels.COUNT];
        keys[0] = header;
        putPairs(keys, 1);
        keys[1 + pairs] = jobKeys();
        keys[2 + pairs] = places();
        putReadyRecords(keys, 3 + pairs);
        return keys;
    }

    /** The keys for listing done jobs. */
    public String[] doneJobs() {
        return new String[] {header, done()};
    }

    /** The keys for listing dead letters. */
    public String[] deadLetters() {
        return new String[] {header, dead()};
    }

    /** The keys for counting jobs, and for listing waiting jobs. */
    public String[] counts() {
        int pairs = 2 * Levels.COUNT;
        String[] keys = new String[2 + pairs + Levels.COUNT + 1];
        keys[0] = header;
        keys[1] = dead();
        putPairs(keys, 2);
        putReadyRecords(keys, 2 + pairs);
        keys[keys.length - 1] = done();
        return keys;
    }

    private void putPairs(String[] keys, int from) {
        int at = from;
        for (int level = 0; level < Levels.COUNT; level++) {
            keys[at++] = ready(level);
            keys[at++] = waiting(level);
        }
    }

    private void putReadyRecords(String[] keys, int from) {
        for (int level = 0; level < Levels.COUNT; level++) {
            keys[from + level] = readyRecords(level);
        }
    }

    private String ready(int level) {
        return lane + ":ready:" + level;
    }

    private String readyRecords(int level) {
        return lane + ":ready-records:" + level;
    }

    private String waiting(int level) {
        return lane + ":waiting:" + level;
    }

    private String jobKeys() {
        return header + ":keys";
    }

    private String places() {
        return header + ":places";
    }

    private String dead() {
        return header + ":dead";
    }

    private String done() {
        return header + ":done";
    }
}
