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
    public final Script registerName;
    public final Script shardCount;
    public final Script listNames;
    public final Script keysExist;
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
        String clock = FILES.section(timeGiven ? "clock_from_argument" : "clock");
        this.enqueueNow = FILES.script("enqueue_now", "enqueue", Map.of("clock", clock));
        this.enqueue = script(
                "enqueue",
                Map.of("clock", clock, "retention", "", "remove_waiting", "", "deduplicate", "", "store_key", ""));
        Map<String, String> parts = Map.of("clock", clock);
        Map<String, String> keyed =
                Map.of("clock", clock, "retention", FILES.section(keeping ? "retention" : "no_retention"));
        Map<String, String> settling = keeping
                ? Map.of("clock", clock, "finish", FILES.section("finish_and_keep"))
                : Map.of("clock", clock, "retention", "", "trim_done", "", "trim_needed", "");
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
        this.registerName = FILES.script("register_name", "names", parts);
        this.shardCount = FILES.script("shard_count", "names", parts);
        this.listNames = FILES.script("list_names", "names", parts);
        this.keysExist = FILES.script("keys_exist", "names", parts);
        this.audit = new AuditScripts(FILES, parts);
    }

    /** The parts that scripts of streams share, whose first keys are those of a queue. */
    static Map<String, String> sharedParts() {
        return Stream.of("calls", "clock", "read_header", "write_header", "requeue", "wake_consumers")
                .collect(Collectors.toMap(name -> name, FILES::section));
    }

    private static Script script(String name, Map<String, String> parts) {
        return FILES.script(name, parts);
    }
}
