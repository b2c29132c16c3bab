package io.headgate.redis.queues.internal.audit;

import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.job.ScriptClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One audit of a queue: an online consistency check that scans everything the queue stores, in bounded steps, while clients use it.
 *
 * <p>Each finding is made in one script call, at one instant, so a change between two calls is not reported as an inconsistency. A
 * script that scans claims checks each claim in its three keys. A script that scans job keys or places checks the job to which each of
 * them points. A job that was seen twice may have moved, so another script searches all places for it in one call. The counts of the
 * header are compared with the stored jobs at one instant: sorted sets have a size, claims are few, and lists are counted
 * incrementally, see {@link AuditedList}. Waiting jobs are scanned lane by lane; a lane has the waiting jobs of one tenant. With more than
 * 200 lanes, or very many jobs in several lanes, the audit does not count the jobs.
 *
 * <p>Not safe for use by several threads: each step starts when the reply of the step before has arrived.
 */
public final class Auditor {

    private static final int MAX_FINDINGS = 1000;
    private static final int MAX_TRIES = 20;
    private static final int REPEATED_PER_CALL = 50;
    private static final int MAX_COUNTED_LANES = 200;

    /** The findings with which binary searches do not work. */
    private static final Set<Kind> UNSEARCHABLE = EnumSet.of(Kind.UNREADABLE, Kind.ORDER, Kind.RUN);

    /** Indexes in KEYS: the lists of ready jobs, sorted sets of waiting jobs, dead letters, and the three parts of claims. */
    private static final List<Integer> LISTS = List.of(8, 10, 12);

    private static final List<Integer> WAITING = List.of(9, 11, 13);
    private static final int DEAD = 7;
    private static final List<Integer> CLAIMS = List.of(3, 4, 2);

    private final AuditScripts scripts;
    private final AuditedLanes lanes;
    private final String[] keys;
    private final ScriptClock clock;
    private final ScriptExecutor executor;
    private final boolean repair;
    private final List<AuditFinding> findings = new ArrayList<>();
    private final AuditSightings sightings = new AuditSightings();

    /** The lists of ready jobs of each lane, by its tenant; the empty name is for jobs without a tenant. */
    private final Map<String, List<AuditedList>> lists = new LinkedHashMap<>();

    private long omitted;
    private long unchecked;
    private long longest;
    private boolean stopped;
    private boolean tenantsFound;

    /** Creates an audit, which {@link #run} starts. If the queue has tenants, the scripts must be those for queues with tenants. */
    public Auditor(
            AuditScripts scripts, AuditedLanes lanes, ScriptClock clock, ScriptExecutor executor, boolean repair) {
        this.scripts = scripts;
        this.lanes = lanes;
        this.keys = lanes.keys(Optional.empty());
        this.clock = clock;
        this.executor = executor;
        this.repair = repair;
    }

    public CompletableFuture<AuditReport> run() {
        return call("", scripts.header, reply -> reply).thenCompose(reply -> {
            // 0: no queue; 1: a header; 2: no readable header; 3: a header that the repair has created.
            if (reply[0] > 1) {
                add(new AuditFinding(Kind.HEADER, "it is not there, or can't be read", repair));
            }
            stopped = reply[0] == 3;
            return reply[0] % 2 == 0 ? CompletableFuture.completedFuture(report()) : scan();
        });
    }

    /** Whether the audit must be repeated with other scripts, because the queue has tenants. Read it after {@link #run} has ended. */
    public boolean hasFoundTenants() {
        return tenantsFound;
    }

    private CompletableFuture<AuditReport> scan() {
        return scanLane("")
                .thenCompose(done -> scanNewTenants(""))
                // The last key is that of the done jobs.
                .thenCompose(
                        done -> each(List.of(DEAD, keys.length), key -> scanAll(scripts.set, "", Packed.text(key))))
                .thenCompose(done -> isReadable() ? scanAll(scripts.places, "0") : skip())
                .thenCompose(done -> each(CLAIMS, key -> scanAll(scripts.claims, "", Packed.text(key))))
                .thenCompose(done -> isReadable() && isFound() ? scanAll(scripts.keys, "0") : skip())
                .thenCompose(done -> isReadable() ? checkRepeated(0) : skip())
                .thenCompose(done -> isReadable() ? countJobs(1) : skip())
                .thenApply(done -> report());
    }

    /** Scans the lanes of tenants that were not scanned yet. */
    private CompletableFuture<Boolean> scanNewTenants(String after) {
        return (scripts.tenants ? lanes.tenants(after) : CompletableFuture.completedFuture(List.<String>of()))
                .thenCompose(some -> some.isEmpty()
                        ? done()
                        : each(some, tenant -> lists.containsKey(tenant) ? done() : scanLane(tenant))
                                .thenCompose(done -> scanNewTenants(some.get(some.size() - 1))));
    }

    private CompletableFuture<Boolean> scanLane(String tenant) {
        lists.put(tenant, List.of(new AuditedList(), new AuditedList(), new AuditedList()));
        return each(LISTS, key -> scanFrom(tenant, scripts.heads, new byte[0], Packed.text(key)))
                .thenCompose(done -> each(LISTS, key -> scanList(tenant, key, true)))
                .thenCompose(done -> each(WAITING, key -> scanFrom(tenant, scripts.set, new byte[0], Packed.text(key))))
                .thenCompose(done -> tenant.isEmpty() ? done() : scanFrom(tenant, scripts.turns, Utf8.of(tenant)));
    }

    /** Whether binary searches work: everything can be read and is in order. */
    private boolean isReadable() {
        return repair || findings.stream().noneMatch(one -> UNSEARCHABLE.contains(one.kind()));
    }

    /** Whether every waiting job is found by its id. */
    private boolean isFound() {
        return repair || findings.stream().noneMatch(one -> one.kind() == Kind.PLACE);
    }

    private CompletableFuture<Boolean> skip() {
        unchecked++;
        return CompletableFuture.completedFuture(true);
    }

    private AuditReport report() {
        return new AuditReport(sightings.jobs(), findings, omitted, unchecked + sightings.omitted());
    }

    private void add(AuditFinding finding) {
        if (findings.size() == MAX_FINDINGS) {
            omitted++;
        } else {
            findings.add(finding);
        }
    }

    private void addResult(AuditStep step) {
        step.findings().forEach(this::add);
        unchecked += step.unchecked();
        tenantsFound |= step.tenants();
        longest = Math.max(longest, step.longest());
    }

    /** Runs a script that concerns all lanes until its cursor ends. */
    private CompletableFuture<Boolean> scanAll(Script script, String from, byte[]... arguments) {
        return scanFrom("", script, from.getBytes(StandardCharsets.US_ASCII), arguments);
    }

    /** Runs a script on one lane from a cursor until its cursor ends. */
    private CompletableFuture<Boolean> scanFrom(String tenant, Script script, byte[] from, byte[]... arguments) {
        List<byte[]> all = new ArrayList<>(List.of(arguments));
        all.add(from);
        return call(tenant, script, this::step, all.toArray(byte[][]::new)).thenCompose(step -> {
            addResult(step);
            sightings.add(step.seen(), 0, tenant);
            return step.cursor().isPresent()
                    ? scanFrom(tenant, script, step.cursor().get(), arguments)
                    : done();
        });
    }

    /** Scans a whole list, or only the jobs that were added since the last scan. */
    private CompletableFuture<Boolean> scanList(String tenant, int key, boolean whole) {
        AuditedList list = Objects.requireNonNull(lists.get(tenant)).get(LISTS.indexOf(key));
        return scanDown(tenant, key, list, whole ? 0 : list.top(), new byte[0], 0);
    }

    private CompletableFuture<Boolean> scanDown(
            String tenant, int key, AuditedList list, long before, byte[] from, long below) {
        return call(tenant, scripts.list, this::step, Packed.text(key), from, Packed.text(below), Packed.text(before))
                .thenCompose(step -> {
                    addResult(step);
                    byte[] seen = step.seen();
                    // Four numbers precede the sightings, see audit_list in audit_jobs.lua.
                    long lowest = list.add(seen);
                    sightings.add(seen, 24, tenant);
                    list.recordHighest(Packed.number(seen, 6, 6));
                    if (step.cursor().isPresent()) {
                        return scanDown(tenant, key, list, before, step.cursor().get(), lowest > 0 ? lowest : below);
                    }
                    list.scanEnded();
                    return done();
                });
    }

    /** Searches all places for the jobs that were seen twice: all places of a job in the same call. */
    private CompletableFuture<Boolean> checkRepeated(int from) {
        List<byte[]> repeated = sightings.repeated();
        if (from >= repeated.size()) {
            return done();
        }
        byte[][] some = repeated.subList(from, Math.min(repeated.size(), from + REPEATED_PER_CALL))
                .toArray(byte[][]::new);
        return call("", scripts.duplicates, this::step, some).thenCompose(step -> {
            addResult(step);
            return checkRepeated(from + REPEATED_PER_CALL);
        });
    }

    private CompletableFuture<Boolean> countJobs(int tries) {
        if (tenantsFound || lists.size() > MAX_COUNTED_LANES) {
            return skip();
        }
        List<AuditedList> all = lists.values().stream().flatMap(List::stream).toList();
        return executor.execute(clock.call(named(scripts.count), keys, countedLanes(), reply -> reply))
                .thenCompose(reply -> {
                    Optional<AuditCount> count = AuditCount.of(reply, all, stopped);
                    if (count.isPresent()) {
                        return compareHeader(count.get());
                    }
                    boolean gaveUp = tries == MAX_TRIES || AuditCount.takesTooLong(reply);
                    return gaveUp ? skip() : scanAdded().thenCompose(done -> countJobs(tries + 1));
                });
    }

    /** The arguments of audit_count: for a queue with tenants, the number of lanes, and the tenant of each. */
    private List<byte[]> countedLanes() {
        return scripts.tenants ? AuditCount.lanes(lists.keySet()) : List.of();
    }

    /** Scans the jobs and the lanes that were added since the last scan. */
    private CompletableFuture<Boolean> scanAdded() {
        return each(List.copyOf(lists.keySet()), tenant -> each(LISTS, key -> scanList(tenant, key, false)))
                .thenCompose(done -> scanNewTenants(""));
    }

    private CompletableFuture<Boolean> compareHeader(AuditCount count) {
        // The counts of a header that the repair has created are wrong, which was reported already.
        List<String> about = new ArrayList<>(stopped ? List.of() : count.about());
        if (count.seq() < sightings.highest()) {
            about.add("numbers of jobs: header says " + count.seq() + ", there is " + sightings.highest());
        }
        if (count.longest() < longest) {
            about.add("bytes of the longest record: header says " + count.longest() + ", there is " + longest);
        }
        if (!count.knowsFirstLease() && !stopped) {
            about.add("the first lease ends before the header says");
        }
        about.forEach(text -> add(new AuditFinding(Kind.HEADER, text, repair)));
        if (!repair || (about.isEmpty() && count.about().isEmpty())) {
            return done();
        }
        List<byte[]> corrections = List.of(
                Packed.text(-count.jobs()),
                Packed.text(-count.leased()),
                Packed.text(-count.cancelled()),
                Packed.text(sightings.highest()),
                Packed.text(longest));
        return executor.execute(clock.call(named(scripts.adjust), keys, corrections, reply -> true));
    }

    private AuditStep step(byte[] reply) {
        return AuditStep.of(reply, repair);
    }

    private <T> CompletableFuture<T> call(
            String tenant, Script script, Function<byte[], T> decoder, byte[]... arguments) {
        List<byte[]> all = new ArrayList<>(List.of(Packed.text(repair ? 1 : 0)));
        all.addAll(List.of(arguments));
        String[] keysOfLane = tenant.isEmpty() ? keys : lanes.keys(Optional.of(tenant));
        return executor.execute(clock.call(named(script), keysOfLane, all, decoder::apply));
    }

    /** The script under the name of the operation, which its failures state. */
    private Script named(Script script) {
        return repair ? script.named("repair") : script;
    }

    private static <E> CompletableFuture<Boolean> each(List<E> elements, Function<E, CompletableFuture<Boolean>> scan) {
        CompletableFuture<Boolean> all = done();
        for (E element : elements) {
            all = all.thenCompose(done -> scan.apply(element));
        }
        return all;
    }

    private static CompletableFuture<Boolean> done() {
        return CompletableFuture.completedFuture(true);
    }
}
