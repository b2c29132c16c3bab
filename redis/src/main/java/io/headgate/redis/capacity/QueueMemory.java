package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Entries;
import java.util.ArrayList;
import java.util.List;

/** The memory of the parts of a planned queue at one snapshot. */
final class QueueMemory {

    /** The value of the header key. */
    private static final int HEADER = 41;

    /** The packed leases of a claim while all of them expire at the same time. */
    private static final int EQUAL_LEASES = 12;

    /** The packed leases of a claim when each has its own expiry: a header, and the expiry of each lease. */
    private static final int LEASES_HEADER = 5;

    private static final int LEASE_EXPIRY = 7;

    private final QueueLoad load;
    private final JobSizes sizes;
    private final RedisAllocation strings;
    private final CollectionAllocation collections;
    private final List<Part> parts = new ArrayList<>();

    /** A part of the queue: its Redis keys, entries and bytes. */
    private record Part(String name, int keys, double entries, double bytes) {

        Part times(int count) {
            return new Part(name, count * keys, count * entries, count * bytes);
        }
    }

    private QueueMemory(QueueLoad load, RedisAllocation strings) {
        this.load = load;
        this.sizes = new JobSizes(load);
        this.strings = strings;
        this.collections = new CollectionAllocation(strings);
    }

    /** Returns the parts of a queue at the peak and on average. */
    static List<QueueContent> of(QueueLoad load, RedisAllocation strings, QueueSnapshot peak, QueueSnapshot average) {
        List<Part> most = new QueueMemory(load, strings).all(peak);
        List<Part> mean = new QueueMemory(load, strings).all(average);
        List<QueueContent> contents = new ArrayList<>();
        for (int i = 0; i < most.size(); i++) {
            Part high = most.get(i);
            Part usual = mean.get(i);
            contents.add(new QueueContent(
                    high.name, high.keys, high.entries, high.bytes, usual.keys, usual.entries, usual.bytes));
        }
        return contents;
    }

    /** Returns the parts of all shards, each of which is the same size, and the parts that exist once. */
    private List<Part> all(QueueSnapshot snapshot) {
        addShard(snapshot.ofShard(load.shards));
        parts.replaceAll(part -> part.times(load.shards));
        double names = collections.hash(List.of(new Entries(1, load.name.length(), 1)));
        parts.add(new Part("queue names", 1, 1, strings.persistentKey((load.keyPrefix + ":queues").length()) + names));
        int all = parts.stream().mapToInt(Part::keys).sum();
        parts.add(new Part("tables", 0, 0, strings.table(all)));
        return parts;
    }

    private void addShard(QueueSnapshot snapshot) {
        String header = load.keys().header();
        parts.add(new Part("header", 1, 0, strings.persistentKey(header.length()) + strings.value(HEADER)));
        addReady(header, snapshot.ready());
        double waiting = collections.sortedSet(snapshot.waiting(load, sizes));
        add("waiting", snapshot.delayed() + snapshot.retried(), key(header + ":waiting:1", waiting));
        addInFlight(header, snapshot);
        double dead = collections.sortedSet(snapshot.dead(load, sizes));
        add("dead letters", snapshot.dead(), key(header + ":dead", dead));
        double done = collections.sortedSet(snapshot.done(load, sizes));
        add("done", snapshot.done(), key(header + ":done", done));
        double keyed = snapshot.live() * load.keyed;
        double keyedDone = snapshot.done() * load.keyed;
        double keys = collections.hash(List.of(
                new Entries(keyed, load.keyLength, JobSizes.KEY_ENTRY),
                new Entries(keyedDone, load.keyLength, JobSizes.DONE_KEY_ENTRY)));
        add("job keys", keyed + keyedDone, key(header + ":keys", keys));
        double located = snapshot.retried() + snapshot.dead() + snapshot.done();
        double locations = collections.hash(List.of(new Entries(located, JobSizes.NUMBER, JobSizes.LOCATION)));
        add("locations", located, key(header + ":places", locations));
    }

    /** The size of a key with a value of that size; 0 if the value is empty, because the key does not exist then. */
    private double key(String name, double value) {
        return value > 0 ? strings.persistentKey(name.length()) + value : 0;
    }

    private void add(String name, double entries, double... keys) {
        int count = 0;
        double bytes = 0;
        for (double key : keys) {
            count += key > 0 ? 1 : 0;
            bytes += key;
        }
        parts.add(new Part(name, count, entries, bytes));
    }

    /**
     * Adds the two lists of ready jobs: heads, and records. An enqueue call in which some job has a key stores each job as a run; other
     * calls store many jobs in one run.
     */
    private void addReady(String header, double jobs) {
        double plainShare = load.keyed > 0 ? Math.pow(1 - load.keyed, load.batch) : 1;
        PlannedRuns plain = PlannedRuns.ofPlainJobs(load.batch, sizes.record(false, 0));
        PlannedRuns single = PlannedRuns.ofSingleJobs(sizes.record(0));
        double plainRuns = plainShare * jobs / plain.jobsOfARun();
        double singleRuns = (1 - plainShare) * jobs;
        double heads = collections.list(plainRuns + singleRuns, List.of(JobSizes.HEAD));
        double records = collections.list(plainRuns, plain.lengths()) + collections.list(singleRuns, single.lengths());
        add("ready", jobs, key(header + ":ready:1", heads), key(header + ":ready-records:1", records));
    }

    private void addInFlight(String header, QueueSnapshot snapshot) {
        double claims = snapshot.claims();
        double ofAClaim = snapshot.jobsPerClaim();
        boolean differ = load.manualClaim.isEmpty() && ofAClaim >= 2;
        long leases = differ ? LEASES_HEADER + Math.round(ofAClaim * LEASE_EXPIRY) : EQUAL_LEASES;
        List<Entries> records = PlannedClaims.Layout.of(load, ofAClaim).fields(claims);
        add(
                "claimed",
                snapshot.inFlight(),
                key(header + ":leases", collections.sortedSet(List.of(Entries.members(claims, PlannedClaims.TOKEN)))),
                key(header + ":held", collections.hash(List.of(new Entries(claims, PlannedClaims.TOKEN, leases)))),
                key(header + ":records", collections.hash(records)));
    }
}
