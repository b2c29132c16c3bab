package io.headgate.redis.queues.internal.queue;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import io.headgate.redis.queues.internal.audit.AuditScripts;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The scripts of queues, assembled from their files. */
public final class QueueScripts {

    private static final ScriptFiles FILES = ScriptFiles.in(
            "queues",
            "enqueue",
            "claim",
            "settle",
            "cancel",
            "dead_letters",
            "counts",
            "pause",
            "find",
            "jobs",
            "purge",
            "names",
            "audit",
            "audit_jobs",
            "audit_claims",
            "audit_keys",
            "common");

    /** Enqueues jobs without keys that are due at once. */
    final Script enqueueNow;

    /** Enqueues jobs without keys. */
    final Script enqueue;

    /** Enqueues jobs, some of which have keys. */
    final Script enqueueKeyed;

    /** Keeps done jobs, or drops them. */
    final Script claim;

    final Script settle;
    final Script cancel;
    final Script reschedule;
    final Script deadLetters;
    final Script redrive;
    final Script discard;
    final Script counts;
    final Script pause;
    final Script find;
    final Script jobsReady;
    final Script jobsDelayed;
    final Script jobsLeased;
    final Script purgeReady;
    final Script purgeDelayed;
    final Script purgeDone;
    public final Script note;
    public final Script noted;
    public final Script names;
    public final Script exist;
    final AuditScripts audit;

    /** The scripts of queues that keep no done jobs. */
    public QueueScripts(boolean timeGiven) {
        this(timeGiven, false);
    }

    /**
     * The scripts of queues.
     *
     * @param timeGiven whether each call passes the time, for tests; by default the scripts use Redis's clock
     * @param keeping whether done jobs are kept
     */
    public QueueScripts(boolean timeGiven, boolean keeping) {
        String clock = FILES.section(timeGiven ? "clock_given" : "clock");
        this.enqueueNow = FILES.script("enqueue_now", "enqueue", Map.of("clock", clock));
        this.enqueue = script(
                "enqueue", Map.of("clock", clock, "keeping", "", "take_out", "", "keyed", "", "keyed_added", ""));
        Map<String, String> parts = Map.of("clock", clock);
        Map<String, String> keyed =
                Map.of("clock", clock, "keeping", FILES.section(keeping ? "keeping" : "keeping_none"));
        Map<String, String> settling = keeping
                ? Map.of("clock", clock, "done", FILES.section("done_kept"))
                : Map.of("clock", clock, "keeping", "", "trim", "", "trim_due", "");
        this.enqueueKeyed = script("enqueue", keyed);
        this.claim = script("claim", settling);
        this.settle = script("settle", settling);
        this.cancel = script("cancel", parts);
        this.reschedule = script("reschedule", parts);
        this.deadLetters = script("dead_letters", parts);
        this.redrive = script("redrive", parts);
        this.discard = script("discard", parts);
        this.counts = script("counts", keyed);
        this.pause = script("pause", parts);
        this.find = script("find", parts);
        this.jobsReady = FILES.script("jobs_ready", "jobs", parts);
        this.jobsDelayed = FILES.script("jobs_delayed", "jobs", parts);
        this.jobsLeased = FILES.script("jobs_leased", "jobs", parts);
        this.purgeReady = FILES.script("purge_ready", "purge", parts);
        this.purgeDelayed = FILES.script("purge_delayed", "purge", parts);
        this.purgeDone = FILES.script("purge_done", "purge", parts);
        this.note = script("note", parts);
        this.noted = FILES.script("noted", "names", parts);
        this.names = script("names", parts);
        this.exist = FILES.script("exist", "names", parts);
        this.audit = new AuditScripts(FILES, parts);
    }

    /** The parts that scripts of streams share, whose first keys are those of a queue. */
    static Map<String, String> sharedParts() {
        return Stream.of("calls", "clock", "header_read", "header_write", "put_back", "signal")
                .collect(Collectors.toMap(name -> name, FILES::section));
    }

    private static Script script(String name, Map<String, String> parts) {
        return FILES.script(name, parts);
    }
}
