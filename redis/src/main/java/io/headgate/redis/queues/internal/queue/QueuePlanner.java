package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.queues.internal.job.ClaimReply;
import io.headgate.redis.queues.internal.job.Cursors;
import io.headgate.redis.queues.internal.job.Due;
import io.headgate.redis.queues.internal.job.EnqueueCodec;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import io.headgate.redis.queues.internal.job.JobIds;
import io.headgate.redis.queues.internal.job.JobRecord;
import io.headgate.redis.queues.internal.job.JobSettlement;
import io.headgate.redis.queues.internal.job.JobSettlements;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.job.ScriptClock;
import io.headgate.redis.queues.internal.job.Times;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Makes the script calls of one queue or shard; does no I/O. */
public final class QueuePlanner {

    /** With its kind, and the length of the position that dead_letters.lua returns. */
    private static final Cursors DEAD_LETTERS = new Cursors(1, 13);

    private final QueueSettings settings;
    private final QueueKeys keys;
    private final ScriptChoice scripts;
    private final ScriptClock clock;

    public QueuePlanner(QueueSettings settings, QueueKeys keys, ScriptChoice scripts, ScriptClock clock) {
        this.settings = settings;
        this.keys = keys;
        this.scripts = scripts;
        this.clock = clock;
    }

    public String header() {
        return keys.header();
    }

    QueueSettings settings() {
        return settings;
    }

    QueueKeys keys() {
        return keys;
    }

    ScriptChoice scripts() {
        return scripts;
    }

    ScriptClock clock() {
        return clock;
    }

    /** Enqueues groups of jobs. If the first group is {@linkplain EnqueueGroup#plain plain}, all groups must be plain and have its lane. */
    ScriptCall<List<Optional<List<Enqueued>>>> enqueue(List<EnqueueGroup> groups) {
        boolean tenants = groups.stream().anyMatch(EnqueueGroup::hasTenants);
        QueueScripts own = tenants ? scripts.withTenants() : scripts.ofOneLane();
        Optional<EnqueueGroup.Lane> plain = groups.get(0).plain();
        if (plain.isPresent()) {
            List<Integer> sizes =
                    groups.stream().map(group -> group.jobs().size()).toList();
            return call(
                    own.enqueueNow,
                    keys.lane(plain.get().tenant()).enqueue(plain.get().priority()),
                    EnqueueCodec.runs(settings.maxJobs(), groups),
                    reply -> EnqueueCodec.ofRuns(keys.shard(), reply, plain.get(), sizes));
        }
        boolean one = EnqueueCodec.haveOnePriority(groups);
        List<byte[]> arguments = EnqueueCodec.jobs(settings.maxJobs(), groups, one);
        return call(
                one ? own.enqueue : own.enqueueKeyed,
                one ? keys.enqueue(groups.get(0).jobs().get(0).lane().priority()) : keys.enqueueAny(),
                one ? arguments : withRetention(arguments),
                reply -> EnqueueCodec.ofJobs(keys.shard(), reply, groups));
    }

    /** Processes settlements, then claims jobs under a token, but no jobs of the excluded tenants. */
    ScriptCall<ClaimReply> claim(
            int max, Duration lease, byte[] token, List<JobSettlement> settlements, Set<String> excludedTenants) {
        long leaseMicros = Times.micros(lease);
        JobSettlements all = new JobSettlements(settlements);
        List<byte[]> arguments = new ArrayList<>();
        Packed first = new Packed().number(max, 2).number(leaseMicros, 7).number(settings.maxCrashes(), 1);
        excludedTenants.forEach(tenant -> first.number(tenant.length(), 1).all(Utf8.of(tenant)));
        arguments.add(first.bytes());
        arguments.add(token);
        arguments.addAll(all.arguments());
        // Only the scripts with tenants can exclude tenants. They also serve a queue without tenants, all of whose jobs
        // have the empty tenant, which may be excluded too.
        QueueScripts own = excludedTenants.isEmpty() ? scripts.current() : scripts.withTenants();
        return call(
                own.claim,
                claimKeys(),
                withRetention(arguments),
                reply -> ClaimReply.of(reply, token, leaseMicros, all));
    }

    /** Settles claimed jobs. */
    ScriptCall<JobSettlements.Results> settle(List<JobSettlement> settlements) {
        JobSettlements all = new JobSettlements(settlements);
        List<byte[]> arguments = withRetention(all.arguments());
        String[] settleKeys = settings.keepDone().isAny() ? keys.allAndDone() : keys.allButReadyRecords();
        return call(scripts.current().settle, settleKeys, arguments, all::results);
    }

    private String[] claimKeys() {
        return settings.keepDone().isAny() ? keys.allAndDone() : keys.all();
    }

    /** Appends the retention, which is how many done jobs are kept and for how long, if any are kept. */
    private List<byte[]> withRetention(List<byte[]> arguments) {
        KeepDone kept = settings.keepDone();
        if (!kept.isAny()) {
            return arguments;
        }
        List<byte[]> all = new ArrayList<>(arguments);
        all.add(new Packed()
                .number(kept.max(), 4)
                .number(Times.micros(kept.time()), 7)
                .bytes());
        return all;
    }

    /** Cancels a waiting job; returns whether it was waiting. */
    ScriptCall<Boolean> cancel(JobId id) {
        return call(
                scripts.of(id.tenant()).cancel,
                keys.lane(id.tenant()).all(),
                List.of(JobIds.bytes(id)),
                QueuePlanner::isTrue);
    }

    /** Changes the due time of a waiting job; returns whether it was waiting. */
    ScriptCall<Boolean> reschedule(JobId id, Due due) {
        return call(
                scripts.of(id.tenant()).reschedule,
                keys.lane(id.tenant()).all(),
                List.of(JobIds.bytes(id), due.bytes()),
                QueuePlanner::isTrue);
    }

    /** Lists a page of dead letters, which a function decodes from their records. */
    public <E> ScriptCall<Page<E>> deadLetters(Cursor from, int max, Function<byte[], List<E>> records) {
        return page(scripts.ofOneLane().deadLetters, from, max, records);
    }

    /** Lists a page of dead letters, whose records have only their ids and times. */
    ScriptCall<Page<JobRecord>> deadLetterIds(Cursor from, int max) {
        return page(scripts.ofOneLane().deadLetterIds, from, max, JobRecord::all);
    }

    private <E> ScriptCall<Page<E>> page(Script script, Cursor from, int max, Function<byte[], List<E>> records) {
        List<byte[]> arguments = List.of(DEAD_LETTERS.position(from), Packed.text(max));
        return call(script, keys.deadLetters(), arguments, reply -> DEAD_LETTERS.page(reply, records));
    }

    /** Looks up the dead letter of a job that died at this instant, with a page that starts before it. */
    ScriptCall<Optional<JobRecord>> deadLetter(JobId id, Instant diedAt) {
        long micros = diedAtMicros(diedAt);
        long number = JobIds.number(id);
        return call(
                scripts.ofOneLane().deadLetters,
                keys.deadLetters(),
                List.of(
                        new Packed()
                                .number(micros, 7)
                                .number(Math.max(0, number - 1), 6)
                                .bytes(),
                        Packed.text(1)),
                reply -> DEAD_LETTERS.page(reply, JobRecord::all).items().stream()
                        .filter(record -> record.dueMicros() == micros
                                && record.id(keys.shard()).equals(id))
                        .findFirst());
    }

    /** Returns an instant as scripts compare it; 0, when no job died, if no clock of Redis has this instant. */
    private static long diedAtMicros(Instant diedAt) {
        boolean possible = !diedAt.isBefore(Instant.EPOCH) && diedAt.isBefore(Times.instant(1L << 55));
        return possible && diedAt.truncatedTo(ChronoUnit.MICROS).equals(diedAt) ? Times.micros(diedAt) : 0;
    }

    /**
     * The dead letters that are redriven or discarded.
     *
     * @param packed the argument of the scripts
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Selection(byte[] packed) {

        static final Selection OLDEST = new Selection(new byte[0]);

        static Selection of(JobId id) {
            return new Selection(JobIds.bytes(id));
        }

        /** Selects a dead letter unless it died again since. */
        static Selection of(JobId id, Instant diedAt) {
            return new Selection(new Packed()
                    .all(JobIds.bytes(id))
                    .number(diedAtMicros(diedAt), 7)
                    .bytes());
        }
    }

    /** Redrives dead letters as far as the queue has room for them. */
    ScriptCall<RedriveReply> redrive(int max, Duration spacing, Selection selection) {
        return call(
                scripts.current().redrive,
                keys.allButReadyRecords(),
                List.of(
                        Packed.text(max),
                        Packed.text(Times.micros(spacing)),
                        selection.packed(),
                        new Packed().number(settings.maxJobs(), 6).bytes()),
                RedriveReply::of);
    }

    /** Removes dead letters; returns how many were removed. */
    ScriptCall<Integer> discard(int max, Selection selection) {
        // The second argument is unused.
        return call(
                scripts.ofOneLane().discard,
                keys.allButReadyRecords(),
                List.of(Packed.text(max), new byte[0], selection.packed()),
                QueuePlanner::count);
    }

    private static int count(byte[] reply) {
        return Integer.parseInt(new String(reply, StandardCharsets.US_ASCII));
    }

    ScriptCall<Boolean> pause(boolean paused) {
        return call(
                scripts.ofOneLane().pause,
                new String[] {keys.header()},
                List.of(Packed.text(paused ? 1 : 0)),
                QueuePlanner::isTrue);
    }

    ScriptCall<QueueCounts> counts() {
        return call(scripts.ofOneLane().counts, keys.counts(), withRetention(List.of()), QueuePlanner::queueCounts);
    }

    private static QueueCounts queueCounts(byte[] reply) {
        // Negative when no job is due yet.
        long dueForMicros = Packed.signed(reply, 31, 7);
        return new QueueCounts(
                Packed.number(reply, 0, 6),
                Packed.number(reply, 6, 6),
                Packed.number(reply, 12, 6),
                Packed.number(reply, 18, 6),
                Packed.number(reply, 24, 6),
                reply[30] != 0,
                dueForMicros < 0 ? Optional.empty() : Optional.of(Duration.of(dueForMicros, ChronoUnit.MICROS)));
    }

    private static boolean isTrue(byte[] reply) {
        return reply[0] == '1';
    }

    /** Makes a script call with the clock of the queue. */
    <T> ScriptCall<T> call(Script script, String[] callKeys, List<byte[]> arguments, ScriptCall.Decoder<T> decoder) {
        return clock.call(script, callKeys, arguments, decoder);
    }

    /**
     * The reply of redrive in dead_letters.lua.
     *
     * @param redriven how many dead letters were redriven
     * @param full whether nothing was redriven because the queue has no room
     */
    public record RedriveReply(int redriven, boolean full) {

        static RedriveReply of(byte[] reply) {
            return reply.length == 0
                    ? new RedriveReply(0, true)
                    : new RedriveReply(Integer.parseInt(new String(reply, StandardCharsets.US_ASCII)), false);
        }
    }
}
