package io.headgate.bench;

/** The names of what is measured; each is per decision or job unless it says otherwise. */
final class Metrics {

    static final String DECISIONS_PER_SECOND = "decisionsPerSecond";
    /** The same on two threads, where a scenario has both. */
    static final String DECISIONS_PER_SECOND_2 = DECISIONS_PER_SECOND + ".2";

    static final String REDIS_CPU_MICROS = "redisCpuMicros";
    /** Calls of scripts that Redis ran in a second. */
    static final String CALLS_PER_SECOND = "callsPerSecond";

    static final String COMMANDS = "commands";
    static final String ROUND_TRIPS = "roundTrips";
    static final String BYTES_IN = "bytesIn";
    static final String BYTES_OUT = "bytesOut";
    static final String P50_MICROS = "p50Micros";
    static final String P99_MICROS = "p99Micros";

    /** Followed by the limit of the user whose memory it is. */
    static final String BYTES_PER_KEY = "bytesPerKey.";

    /** Of the application, for each request. */
    static final String APP_CPU_MICROS = "appCpuMicros";

    /** Of the application, after a collection. */
    static final String APP_MEMORY_BYTES = "appMemoryBytes";

    /** Of Redis, beyond what it needs when it is empty. */
    static final String REDIS_MEMORY_BYTES = "redisMemoryBytes";

    static final String JOBS_PER_SECOND = "jobsPerSecond";

    /** Of Redis, for each job that waits until it is due. */
    static final String BYTES_PER_JOB_DELAYED = "bytesPerJob.delayed";

    /** Of Redis, for each job that is due. */
    static final String BYTES_PER_JOB_READY = "bytesPerJob.ready";

    /** From when a job was due until its handler began. */
    static final String LATE_P50_MICROS = "lateP50Micros";

    static final String LATE_P99_MICROS = "lateP99Micros";
    static final String LATE_LEAST_MICROS = "lateLeastMicros";

    /** The longest that a script kept Redis to itself. */
    static final String LONGEST_CALL_MICROS = "longestCallMicros";

    /** How many scripts kept it for more than 5 ms. */
    static final String LONG_CALLS = "callsOver5Millis";

    static final String ALLOWED = "allowed";
    static final String DENIED = "denied";

    /** What the same algorithm would have allowed, had each request been decided when it was due. */
    static final String ALLOWED_BY_MODEL = "allowedByModel";

    private Metrics() {}
}
