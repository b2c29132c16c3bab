package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Priority;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The keys of one queue or shard: {@code prefix:q:{queue}} is the header key and the channel, and every other key starts with it. The
 * braces are a hash tag that keeps them in one slot of a Cluster. The first shard has the keys of the queue; another one has {@code
 * prefix:q:{queue:shard}}.
 *
 * <p>The waiting jobs of a tenant have keys of their own, a lane: they start with {@code prefix:q:{queue}:t:tenant}.
 */
public final class QueueKeys {

    private static final String TENANT = ":t:";

    private final String header;
    private final int shard;

    /** What the keys of waiting jobs start with. */
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

    /** The keys of a queue that is part of something else, by its header key. */
    public static QueueKeys at(String header) {
        return new QueueKeys(header, 0);
    }

    /** The same keys, but those of waiting jobs are those of a tenant; of jobs without a tenant if it is empty. */
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

    /** The keys of scripts that take waiting jobs: all keys, the records of ready jobs last. */
    public String[] all() {
        String[] others = allButReady();
        String[] all = Arrays.copyOf(others, others.length + Levels.COUNT);
        putReadyRecords(all, others.length);
        return all;
    }

    /** The keys of scripts that don't take ready jobs. */
    public String[] allButReady() {
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

    /** The keys of scripts that claim or settle and keep done jobs, whose key is the last. */
    public String[] allAndDone() {
        return allAnd(done());
    }

    /** The keys of an audit: all keys, then those of jobs set aside and of done jobs. */
    public String[] audit() {
        return allAnd(header + ":aside", done());
    }

    private String[] allAnd(String... more) {
        return Stream.concat(Arrays.stream(all()), Arrays.stream(more)).toArray(String[]::new);
    }

    /** For enqueueing jobs of one priority, none of which has a key. */
    public String[] enqueue(Priority priority) {
        int level = Levels.of(priority);
        return new String[] {header, ready(level), waiting(level), readyRecords(level)};
    }

    /** For enqueueing jobs of any priority, with keys or without. */
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

    /** For showing jobs that are done. */
    public String[] doneJobs() {
        return new String[] {header, done()};
    }

    /** For showing dead letters. */
    public String[] deadLetters() {
        return new String[] {header, dead()};
    }

    /** For counting. */
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
