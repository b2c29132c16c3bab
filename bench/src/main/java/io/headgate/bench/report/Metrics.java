package io.headgate.bench.report;

/** The names of what is measured; each is per decision or job unless it says otherwise. */
public final class Metrics {

    public static final String DECISIONS_PER_SECOND = "decisionsPerSecond";
    /** The same on two threads, where a scenario has both. */
    public static final String DECISIONS_PER_SECOND_2 = DECISIONS_PER_SECOND + ".2";

    public static final String REDIS_CPU_MICROS = "redisCpuMicros";
    /** Calls of scripts that Redis ran in a second. */
    public static final String CALLS_PER_SECOND = "callsPerSecond";

    public static final String COMMANDS = "commands";
    public static final String ROUND_TRIPS = "roundTrips";
    public static final String BYTES_IN = "bytesIn";
    public static final String BYTES_OUT = "bytesOut";
    public static final String P50_MICROS = "p50Micros";
    public static final String P99_MICROS = "p99Micros";

    /** Followed by the limit of the user whose memory it is. */
    public static final String BYTES_PER_KEY = "bytesPerKey.";

    /** Of the application, for each request. */
    public static final String APP_CPU_MICROS = "appCpuMicros";

    /** Of the application, after a collection. */
    public static final String APP_MEMORY_BYTES = "appMemoryBytes";

    /** Of Redis, beyond what it needs when it is empty. */
    public static final String REDIS_MEMORY_BYTES = "redisMemoryBytes";

    public static final String JOBS_PER_SECOND = "jobsPerSecond";

    /** Of Redis, for each job that waits until it is due. */
    public static final String BYTES_PER_JOB_DELAYED = "bytesPerJob.delayed";

    /** Of Redis, for each job that is due. */
    public static final String BYTES_PER_JOB_READY = "bytesPerJob.ready";

    /** From when a job was due until its handler began. */
    public static final String LATE_P50_MICROS = "lateP50Micros";

    public static final String LATE_P99_MICROS = "lateP99Micros";
    public static final String LATE_LEAST_MICROS = "lateLeastMicros";

    /** The longest that a script kept Redis to itself. */
    public static final String LONGEST_CALL_MICROS = "longestCallMicros";

    /** How many scripts kept it for more than 5 ms. */
    public static final String LONG_CALLS = "callsOver5Millis";

    public static final String ALLOWED = "allowed";
    public static final String DENIED = "denied";

    /** What the same algorithm would have allowed, had each request been decided when it was due. */
    public static final String ALLOWED_BY_MODEL = "allowedByModel";

    private Metrics() {}
}
