package io.headgate.redis.queues.internal.queue;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import io.headgate.redis.queues.internal.audit.AuditScripts;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The scripts of queues, assembled from the sections of their Lua files. */
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
            "tenants",
            "common");

    /** The sections that only scripts for tenants contain; empty in other scripts. */
    private static final Map<String, String> WITHOUT_TENANTS = Map.of(
            "add_turn_now",
            "",
            "enter_lane_of_job",
            "",
            "collect_turn",
            "",
            "collect_replaced",
            "",
            "add_turns",
            "",
            "forget_lane",
            "",
            "enter_lane_of_renumbered",
            "",
            "leave_lane_of_renumbered",
            "");

    /** Enqueues jobs without keys that are due now. */
    final Script enqueueNow;

    /** Enqueues jobs of one priority, without keys. */
    final Script enqueue;

    /** Enqueues any jobs, with or without keys. */
    final Script enqueueKeyed;

    /** Claims jobs; if done jobs are kept, also removes those beyond the retention. */
    final Script claim;

    final Script settle;
    final Script cancel;
    final Script reschedule;
    final Script deadLetters;
    final Script deadLetterIds;
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
    final Script listTenants;
    final Script laneCounts;
    final AuditScripts audit;

    /** Assembles the scripts of queues that keep no done jobs and have no tenants. */
    public QueueScripts(boolean timeGiven) {
        this(timeGiven, false, false);
    }

    /**
     * Assembles the scripts of queues.
     *
     * @param timeGiven whether each call passes the time, for tests; otherwise the scripts use Redis's clock
     * @param keeping whether done jobs are kept
     * @param tenants whether jobs have tenants
     */
    public QueueScripts(boolean timeGiven, boolean keeping, boolean tenants) {
        String clock = FILES.section(timeGiven ? "clock_from_argument" : "clock");
        Map<String, String> parts = with(tenants ? lanes() : WITHOUT_TENANTS, Map.of("clock", clock));
        Map<String, String> keyed =
                with(parts, Map.of("retention", FILES.section(keeping ? "retention" : "no_retention")));
        Map<String, String> settling = with(
                parts,
                keeping
                        ? Map.of("finish", FILES.section("finish_and_keep"))
                        : Map.of("retention", "", "trim_done", "", "trim_needed", ""));
        Map<String, String> enqueueing =
                tenants ? with(keyed, Map.of("lane_places", FILES.section("lane_places_of_enqueue"))) : keyed;
        this.enqueueNow = FILES.script("enqueue_now", "enqueue", parts);
        this.enqueue = script(
                "enqueue",
                with(enqueueing, Map.of("retention", "", "remove_waiting", "", "deduplicate", "", "store_key", "")));
        this.enqueueKeyed = script("enqueue", enqueueing);
        this.claim = script("claim", settling);
        this.settle = script("settle", settling);
        this.cancel = script("cancel", parts);
        this.reschedule = script("reschedule", parts);
        this.deadLetters = script("dead_letters", parts);
        this.deadLetterIds = script("dead_letter_ids", parts);
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
        this.listTenants = FILES.script("list_tenants", "tenants", parts);
        this.laneCounts = FILES.script("lane_counts", "counts", parts);
        this.audit = new AuditScripts(FILES, parts, tenants);
    }

    /** The sections that scripts for tenants contain instead of the sections of these names, or in addition to them. */
    private static Map<String, String> lanes() {
        return Map.of(
                "calls",
                FILES.section("calls") + FILES.section("lanes"),
                "requeue",
                FILES.section("requeue") + FILES.section("requeue_in_lane"),
                "store_place",
                FILES.section("store_place_in_lane"),
                "claim_run",
                FILES.section("claim_run") + FILES.section("claim_run_in_lanes"),
                "claim_priority",
                FILES.section("claim_lanes"),
                "read_header",
                FILES.section("read_header") + FILES.section("check_lanes"),
                "audit_no_tenants",
                "",
                "audit_lanes",
                FILES.section("audit_lanes_of_tenants"),
                "audit_count_lanes",
                FILES.section("audit_count_in_lanes"));
    }

    private static Map<String, String> with(Map<String, String> parts, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(parts);
        all.putAll(more);
        return Map.copyOf(all);
    }

    /** The sections that scripts of streams share with those of queues; the first keys of such a script are those of a queue. */
    static Map<String, String> sharedParts() {
        return Stream.of("calls", "clock", "read_header", "write_header", "requeue", "store_place", "wake_consumers")
                .collect(Collectors.toMap(name -> name, FILES::section));
    }

    private static Script script(String name, Map<String, String> parts) {
        return FILES.script(name, parts);
    }
}
