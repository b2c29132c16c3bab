package io.headgate.limits.internal.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The bans and exemptions that this process knows, by policy and attribute. A request looks up each of its attributes: values in a hash
 * table, and addresses in a table of blocks, once for each prefix length that any block has. Without entries, it reads one field. Safe
 * for use by any number of threads.
 */
public final class BanIndex {

    /** The policy of targets that apply to all policies. */
    private static final String ALL_POLICIES = "";

    private static final int MAX_EXTENDED = 1024;

    private record Scope(String policy, String attribute) {

        static Scope of(BanTarget target) {
            return new Scope(target.policy().orElse(ALL_POLICIES), target.attribute());
        }
    }

    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Map<Scope, BanTable> tables = new ConcurrentHashMap<>();

    private volatile Set<String> attributes = Set.of();

    /** Whether any target is of a single policy. May stay true when the last of them has been removed. */
    private volatile boolean anyOfOnePolicy;

    /** Whether there is any exemption. May stay true when the last of them has been removed. */
    private volatile boolean anyExemption;

    // Guarded by the lock: the number of entries, and of those whose target is a block. Ended ones count until they are
    // removed.
    private int size;
    private int blocks;

    /** Guarded by the lock: the entries that are not permanent, and earlier ones that were extended since. */
    private final PriorityQueue<KnownBan> ends = new PriorityQueue<>(Comparator.comparingLong(KnownBan::endMicros));

    /** Creates an index without entries. The clock is that of the engine in this process. */
    public BanIndex(TimeSource time) {
        this.time = time;
    }

    /** The attributes that targets of entries have. */
    public Set<String> attributes() {
        return attributes;
    }

    /** Whether there is no entry. */
    public boolean isEmpty() {
        return tables.isEmpty();
    }

    /** Adds an entry, or replaces that of its target. */
    public void put(KnownBan known) {
        lock.lock();
        try {
            put(tables, known);
        } finally {
            lock.unlock();
        }
    }

    private void put(Map<Scope, BanTable> to, KnownBan known) {
        BanTarget target = known.entry().target();
        Scope scope = Scope.of(target);
        BanTable table = to.getOrDefault(scope, new BanTable());
        if (table.put(target, known) == null) {
            count(target, 1);
        }
        if (known.endMicros() != Long.MAX_VALUE) {
            ends.add(known);
        }
        anyOfOnePolicy |= target.policy().isPresent();
        anyExemption |= known.isExemption();
        if (to.put(scope, table) == null) {
            attributes = attributesOf(to);
        }
    }

    private static Set<String> attributesOf(Map<Scope, BanTable> tables) {
        return tables.keySet().stream().map(Scope::attribute).collect(Collectors.toUnmodifiableSet());
    }

    private void count(BanTarget target, int change) {
        size += change;
        blocks += BanErrors.isBlock(target) ? change : 0;
    }

    /** Whether there is no room for the entry of a new target. */
    boolean isFull(BanTarget target) {
        lock.lock();
        try {
            return size >= Bans.MAX_ENTRIES || (BanErrors.isBlock(target) && blocks >= Bans.MAX_BLOCKS);
        } finally {
            lock.unlock();
        }
    }

    /** Removes the entry of a target. */
    public void remove(BanTarget target) {
        lock.lock();
        try {
            Scope scope = Scope.of(target);
            BanTable table = tables.get(scope);
            if (table == null || table.remove(target) == null) {
                return;
            }
            count(target, -1);
            if (table.isEmpty()) {
                tables.remove(scope);
                attributes = attributesOf(tables);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Replaces all entries. */
    public void replaceAll(Collection<KnownBan> entries) {
        Map<Scope, BanTable> replaced = new ConcurrentHashMap<>();
        lock.lock();
        try {
            size = 0;
            blocks = 0;
            ends.clear();
            entries.forEach(known -> put(replaced, known));
            tables = replaced;
            attributes = attributesOf(replaced);
        } finally {
            lock.unlock();
        }
    }

    /** Removes all entries. */
    public void clear() {
        replaceAll(List.of());
    }

    /** Removes entries that have ended. */
    public void removeEnded() {
        long nowMicros = time.nowMicros();
        lock.lock();
        try {
            for (KnownBan first = ends.peek(); first != null && first.endMicros() <= nowMicros; first = ends.peek()) {
                ends.poll();
                BanTarget target = first.entry().target();
                BanTable table = tables.get(Scope.of(target));
                if (table != null && first.equals(table.get(target))) {
                    remove(target);
                }
            }
            if (ends.size() > 2 * size + MAX_EXTENDED) {
                ends.clear();
                all().stream()
                        .filter(known -> known.endMicros() != Long.MAX_VALUE)
                        .forEach(ends::add);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the entry of exactly this target; null if there is none or it has ended. */
    public @Nullable BanEntry get(BanTarget target) {
        BanTable table = tables.get(Scope.of(target));
        KnownBan known = table == null ? null : KnownBan.preferred(null, table.get(target), time.nowMicros());
        return known == null ? null : known.entry();
    }

    /** Returns the entry that applies to a request; null if there is none. */
    public @Nullable BanEntry find(String policy, Attributes attributes) {
        KnownBan known = tables.isEmpty() ? null : find(policy, attributes, time.nowMicros());
        return known == null ? null : known.entry();
    }

    /** Returns the ban that applies to a request; null if there is none, or an exemption. */
    public @Nullable FoundBan findBan(String policy, Attributes attributes) {
        if (tables.isEmpty()) {
            return null;
        }
        long nowMicros = time.nowMicros();
        KnownBan known = find(policy, attributes, nowMicros);
        if (known == null || known.isExemption()) {
            return null;
        }
        Instant at = known.entry()
                .until()
                .map(until -> until.minus(Micros.toDuration(known.endMicros() - nowMicros)))
                .orElseGet(() -> Micros.toInstant(nowMicros));
        return new FoundBan(known.entry(), at);
    }

    /**
     * A ban that applies to a request.
     *
     * @param at the time, by the clock of the entry's end
     */
    public record FoundBan(BanEntry entry, Instant at) {}

    /** Whether an exemption applies to a request. Without exemptions, it looks nothing up. */
    public boolean isExempt(String policy, Attributes attributes) {
        BanEntry entry = anyExemption ? find(policy, attributes) : null;
        return entry != null && entry.kind().isExemption();
    }

    private @Nullable KnownBan find(String policy, Attributes attributes, long nowMicros) {
        Map<Scope, BanTable> now = tables;
        KnownBan best = null;
        for (Map.Entry<String, String> attribute : attributes.asMap().entrySet()) {
            BanTable ofAll = now.get(new Scope(ALL_POLICIES, attribute.getKey()));
            if (ofAll != null) {
                best = ofAll.find(attribute.getValue(), nowMicros, best);
            }
            BanTable ofPolicy = anyOfOnePolicy ? now.get(new Scope(policy, attribute.getKey())) : null;
            if (ofPolicy != null) {
                best = ofPolicy.find(attribute.getValue(), nowMicros, best);
            }
        }
        return best;
    }

    /** Returns the decision on a request that is banned, or exempt without being counted; null if its rules decide. */
    public @Nullable Decision decide(Policy policy, Attributes attributes) {
        if (tables.isEmpty()) {
            return null;
        }
        long nowMicros = time.nowMicros();
        KnownBan known = find(policy.name(), attributes, nowMicros);
        if (known == null || known.entry().kind() == BanEntry.Kind.COUNTED_EXEMPTION) {
            return null;
        }
        boolean isPermanent = known.isExemption() || known.endMicros() == Long.MAX_VALUE;
        return EngineDecisions.byBan(policy, nowMicros, known.entry(), isPermanent ? 0 : known.endMicros() - nowMicros);
    }

    /** Returns all entries in force, sorted by target. */
    public List<BanEntry> entries() {
        long nowMicros = time.nowMicros();
        return all().stream()
                .filter(known -> known.endMicros() > nowMicros)
                .map(KnownBan::entry)
                .sorted((a, b) -> a.target().compareTo(b.target()))
                .toList();
    }

    /** Returns the number of entries of a kind in force. */
    public long count(BanEntry.Kind kind) {
        long nowMicros = time.nowMicros();
        return tables.values().stream()
                .mapToLong(table -> table.countIf(
                        known -> known.endMicros() > nowMicros && known.entry().kind() == kind))
                .sum();
    }

    private List<KnownBan> all() {
        List<KnownBan> all = new ArrayList<>();
        tables.values().forEach(table -> table.addTo(all));
        return all;
    }
}
