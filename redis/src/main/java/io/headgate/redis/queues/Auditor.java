package io.headgate.redis.queues;

import io.headgate.queues.AuditFinding;
import io.headgate.queues.AuditFinding.Kind;
import io.headgate.queues.AuditReport;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One audit of a queue: goes through all that is stored of it, step by step, while others use it.
 *
 * <p>A finding is what one script has seen at one instant, so nothing that was true only in part, before a step and after
 * another, is taken for wrong. What is seen of one thing alone (a claim in its three keys, an entry and the job that it leads
 * to) is told by the script that goes through these. A job that was seen twice may just have moved, and so is looked for once
 * more in all places at once. What the header counts is compared with what there is at one instant: sorted sets know
 * how many they have, claims are few, and lists are counted as {@link AuditedList} says.
 *
 * <p>Its parts are used one after the other, each when the answer before it has come.
 */
final class Auditor {

    private static final int MAX_FINDINGS = 1000;
    private static final int MAX_TRIES = 20;
    private static final int AT_ONCE = 50;
    private static final Set<Kind> GARBLED = EnumSet.of(Kind.UNREADABLE, Kind.ORDER, Kind.RUN);
    private static final List<Integer> LISTS = List.of(8, 10, 12);
    private static final List<Integer> SETS = List.of(9, 11, 13, 7);
    private static final List<Integer> CLAIMS = List.of(3, 4, 2);

    private final QueuePlanner planner;
    private final QueueScripts scripts;
    private final ScriptExecutor executor;
    private final boolean mend;
    private final List<AuditFinding> findings = new ArrayList<>();
    private final AuditSightings sightings = new AuditSightings();
    private final List<AuditedList> lists = List.of(new AuditedList(), new AuditedList(), new AuditedList());
    private long notShown;
    private long notTold;
    private long longest;
    private boolean stopped;

    Auditor(QueuePlanner planner, ScriptExecutor executor, boolean mend) {
        this.planner = planner;
        this.scripts = planner.scripts();
        this.executor = executor;
        this.mend = mend;
    }

    CompletableFuture<AuditReport> run() {
        return ask(scripts.auditHeader, reply -> reply).thenCompose(reply -> {
            if (reply[0] > 1) {
                found(new AuditFinding(Kind.HEADER, "it is not there, or can't be read", mend));
            }
            stopped = reply[0] == 3;
            return reply[0] % 2 == 0 ? CompletableFuture.completedFuture(report()) : look();
        });
    }

    private CompletableFuture<AuditReport> look() {
        return each(LISTS, key -> go(scripts.auditHeads, "", Packed.text(key)))
                .thenCompose(done -> each(LISTS, key -> list(key, true)))
                .thenCompose(done -> each(sets(), key -> go(scripts.auditSet, "", Packed.text(key))))
                .thenCompose(done -> isReadable() ? go(scripts.auditPlaces, "0") : leaveOut())
                .thenCompose(done -> each(CLAIMS, key -> go(scripts.auditClaims, "", Packed.text(key))))
                .thenCompose(done -> isReadable() && isFound() ? go(scripts.auditKeys, "0") : leaveOut())
                .thenCompose(done -> isReadable() ? twice(0) : leaveOut())
                .thenCompose(done -> isReadable() ? count(1) : leaveOut())
                .thenApply(done -> report());
    }

    /** Those of the waiting and the dead, and of the done: the last of the keys. */
    private List<Integer> sets() {
        return Stream.concat(SETS.stream(), Stream.of(planner.keys().audit().length))
                .toList();
    }

    /** Whether no search by halves ends at something that can't be read, or is not in its order. */
    private boolean isReadable() {
        return mend || findings.stream().noneMatch(one -> GARBLED.contains(one.kind()));
    }

    /** Whether each job that waits is found by its id. */
    private boolean isFound() {
        return mend || findings.stream().noneMatch(one -> one.kind() == Kind.PLACE);
    }

    private CompletableFuture<Boolean> leaveOut() {
        notTold++;
        return CompletableFuture.completedFuture(true);
    }

    private AuditReport report() {
        return new AuditReport(sightings.jobs(), findings, notShown, notTold + sightings.left());
    }

    private void found(AuditFinding finding) {
        if (findings.size() == MAX_FINDINGS) {
            notShown++;
        } else {
            findings.add(finding);
        }
    }

    private void note(AuditStep step) {
        step.findings().forEach(this::found);
        notTold += step.notTold();
        longest = Math.max(longest, step.longest());
    }

    /** Goes through all that a script shows, to its end. */
    private CompletableFuture<Boolean> go(Script script, String from, byte[]... arguments) {
        return goOn(script, from.getBytes(StandardCharsets.US_ASCII), arguments);
    }

    private CompletableFuture<Boolean> goOn(Script script, byte[] from, byte[][] arguments) {
        List<byte[]> all = new ArrayList<>(List.of(arguments));
        all.add(from);
        return ask(script, this::step, all.toArray(byte[][]::new)).thenCompose(step -> {
            note(step);
            sightings.add(step.seen(), 0);
            return step.cursor().isPresent() ? goOn(script, step.cursor().get(), arguments) : done();
        });
    }

    /** Looks at what a list has, or at what it has more than before. */
    private CompletableFuture<Boolean> list(int key, boolean whole) {
        AuditedList list = lists.get(LISTS.indexOf(key));
        return down(key, list, whole ? 0 : list.top(), new byte[0], 0);
    }

    private CompletableFuture<Boolean> down(int key, AuditedList list, long before, byte[] from, long below) {
        return ask(scripts.auditList, this::step, Packed.text(key), from, Packed.text(below), Packed.text(before))
                .thenCompose(step -> {
                    note(step);
                    byte[] seen = step.seen();
                    long lowest = list.add(seen);
                    sightings.add(seen, 24);
                    list.noteHighest(Packed.number(seen, 6, 6));
                    if (step.cursor().isPresent()) {
                        return down(key, list, before, step.cursor().get(), lowest > 0 ? lowest : below);
                    }
                    list.lookedDown();
                    return done();
                });
    }

    /** Looks for jobs that were seen twice in all places at once. */
    private CompletableFuture<Boolean> twice(int from) {
        List<byte[]> again = sightings.again();
        if (from >= again.size()) {
            return done();
        }
        byte[][] some =
                again.subList(from, Math.min(again.size(), from + AT_ONCE)).toArray(byte[][]::new);
        return ask(scripts.auditTwice, this::step, some).thenCompose(step -> {
            note(step);
            return twice(from + AT_ONCE);
        });
    }

    private CompletableFuture<Boolean> count(int tries) {
        return executor.execute(planner.call(
                        scripts.auditCount,
                        planner.keys().audit(),
                        List.of(),
                        reply -> AuditCount.of(reply, lists, stopped)))
                .thenCompose(count -> {
                    if (count.isPresent()) {
                        return compare(count.get());
                    }
                    return tries == MAX_TRIES
                            ? leaveOut()
                            : each(LISTS, key -> list(key, false)).thenCompose(done -> count(tries + 1));
                });
    }

    private CompletableFuture<Boolean> compare(AuditCount count) {
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
        about.forEach(text -> found(new AuditFinding(Kind.HEADER, text, mend)));
        if (!mend || (about.isEmpty() && count.about().isEmpty())) {
            return done();
        }
        return executor.execute(planner.call(
                scripts.auditAdjust,
                planner.keys().audit(),
                List.of(
                        Packed.text(-count.jobs()),
                        Packed.text(-count.leased()),
                        Packed.text(-count.cancelled()),
                        Packed.text(sightings.highest()),
                        Packed.text(longest)),
                reply -> true));
    }

    private AuditStep step(byte[] reply) {
        return AuditStep.of(reply, mend);
    }

    private <T> CompletableFuture<T> ask(Script script, Function<byte[], T> decoder, byte[]... arguments) {
        List<byte[]> all = new ArrayList<>();
        all.add(Packed.text(mend ? 1 : 0));
        all.addAll(List.of(arguments));
        return executor.execute(planner.call(script, planner.keys().audit(), all, decoder::apply));
    }

    private static CompletableFuture<Boolean> each(
            List<Integer> keys, Function<Integer, CompletableFuture<Boolean>> look) {
        CompletableFuture<Boolean> all = done();
        for (int key : keys) {
            all = all.thenCompose(done -> look.apply(key));
        }
        return all;
    }

    private static CompletableFuture<Boolean> done() {
        return CompletableFuture.completedFuture(true);
    }
}
