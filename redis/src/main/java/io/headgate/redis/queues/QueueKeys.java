package io.headgate.redis.queues;

import io.headgate.queues.Priority;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The keys of one queue, all of them: {@code prefix:q:{queue}} is its header and its channel, and what else it has begins
 * with that. The braces keep them in one slot of a Cluster. A shard has keys as a queue has them: the first those of the
 * queue, and another {@code prefix:q:{queue:shard}}.
 */
final class QueueKeys {

    private final String header;
    private final int shard;

    private QueueKeys(String header, int shard) {
        this.header = header;
        this.shard = shard;
    }

    QueueKeys(String prefix, String queue) {
        this(prefix, queue, 0);
    }

    QueueKeys(String prefix, String queue, int shard) {
        this(prefix + ":q:{" + queue + (shard == 0 ? "" : ":" + shard) + "}", shard);
    }

    /** Those of a queue that is part of something else, and has its header there. */
    static QueueKeys at(String header) {
        return new QueueKeys(header, 0);
    }

    String header() {
        return header;
    }

    int shard() {
        return shard;
    }

    /** For scripts that take jobs out of where they wait: the records of what is ready, after all others. */
    String[] all() {
        String[] others = allButReady();
        String[] all = Arrays.copyOf(others, others.length + Levels.COUNT);
        putReadyRecords(all, others.length);
        return all;
    }

    /** For scripts that don't take what is ready. */
    String[] allButReady() {
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

    /** For scripts that hand out or settle and keep what is done, which is the last of their keys. */
    String[] allAndDone() {
        return allAnd(done());
    }

    /** For an audit: all, what was set aside, and what is done. */
    String[] audit() {
        return allAnd(header + ":aside", done());
    }

    private String[] allAnd(String... more) {
        return Stream.concat(Arrays.stream(all()), Arrays.stream(more)).toArray(String[]::new);
    }

    /** For enqueueing jobs of one priority, none of which has a key. */
    String[] enqueue(Priority priority) {
        int level = Levels.of(priority);
        return new String[] {header, ready(level), waiting(level), readyRecords(level)};
    }

    /** For enqueueing jobs of any priority, with keys or without. */
    String[] enqueueAny() {
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
    String[] doneJobs() {
        return new String[] {header, done()};
    }

    /** For showing dead letters. */
    String[] deadLetters() {
        return new String[] {header, dead()};
    }

    /** For counting. */
    String[] counts() {
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
        return header + ":ready:" + level;
    }

    private String readyRecords(int level) {
        return header + ":ready-records:" + level;
    }

    private String waiting(int level) {
        return header + ":waiting:" + level;
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
