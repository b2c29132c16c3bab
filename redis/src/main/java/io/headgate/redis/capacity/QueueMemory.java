package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Alike;
import java.util.ArrayList;
import java.util.List;

/** What the keys of a planned queue take, one after the other, at one snapshot. */
final class QueueMemory {

    private static final int HEADER = 41;
    /** The entry of a claim: while its leases are unchanged, and with each lease of its own. */
    private static final int HELD = 12;

    private static final int HELD_BEFORE = 5;
    private static final int LEASE_END = 7;

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

    /** The parts of the shards, which are alike, and the parts that exist once. */
    private List<Part> all(QueueSnapshot snapshot) {
        addShard(snapshot.ofShard(load.shards));
        parts.replaceAll(part -> part.times(load.shards));
        double names = collections.hash(List.of(new Alike(1, load.name.length(), 1)));
        parts.add(new Part("queue names", 1, 1, strings.keyThatStays((load.keyPrefix + ":queues").length()) + names));
        int all = parts.stream().mapToInt(Part::keys).sum();
        parts.add(new Part("tables", 0, 0, strings.table(all)));
        return parts;
    }

    private void addShard(QueueSnapshot snapshot) {
        String header = load.keys().header();
        parts.add(new Part("header", 1, 0, strings.keyThatStays(header.length()) + strings.value(HEADER)));
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
                new Alike(keyed, load.keyLength, JobSizes.KEY_ENTRY),
                new Alike(keyedDone, load.keyLength, JobSizes.DONE_KEY_ENTRY)));
        add("job keys", keyed + keyedDone, key(header + ":keys", keys));
        double placed = snapshot.retried() + snapshot.dead() + snapshot.done();
        double places = collections.hash(List.of(new Alike(placed, JobSizes.NUMBER, JobSizes.PLACE)));
        add("locations", placed, key(header + ":places", places));
    }

    /** The size of a key with its value, if there is one. */
    private double key(String name, double value) {
        return value > 0 ? strings.keyThatStays(name.length()) + value : 0;
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

    /** The two lists of ready jobs, of heads and of records: calls with keys store each job as a run, others join jobs. */
    private void addReady(String header, double jobs) {
        double together = load.keyed > 0 ? Math.pow(1 - load.keyed, load.batch) : 1;
        PlannedRuns plain = PlannedRuns.together(load.batch, sizes.record(false, 0));
        PlannedRuns alone = PlannedRuns.alone(sizes.record(0));
        double runs = together * jobs / plain.jobsOfARun();
        double single = (1 - together) * jobs;
        double heads = collections.list(runs + single, List.of(JobSizes.HEAD));
        double records = collections.list(runs, plain.lengths()) + collections.list(single, alone.lengths());
        add("ready", jobs, key(header + ":ready:1", heads), key(header + ":ready-records:1", records));
    }

    private void addInFlight(String header, QueueSnapshot snapshot) {
        double claims = snapshot.claims();
        double ofAClaim = snapshot.jobsOfAClaim();
        boolean eachByItself = load.claimed.isEmpty() && ofAClaim >= 2;
        long held = eachByItself ? HELD_BEFORE + Math.round(ofAClaim * LEASE_END) : HELD;
        List<Alike> records = PlannedClaims.Layout.of(load, ofAClaim).fields(claims);
        add(
                "claimed",
                snapshot.inFlight(),
                key(header + ":leases", collections.sortedSet(List.of(Alike.members(claims, PlannedClaims.TOKEN)))),
                key(header + ":held", collections.hash(List.of(new Alike(claims, PlannedClaims.TOKEN, held)))),
                key(header + ":records", collections.hash(records)));
    }
}
