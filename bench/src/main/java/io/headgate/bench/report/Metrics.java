package io.headgate.bench.report;

/** The names of metrics. A metric is per decision or job unless its name or comment says otherwise. */
public final class Metrics {

    public static final String DECISIONS_PER_SECOND = "decisionsPerSecond";
    /** The decisions a second with two threads, in a scenario that measures one and two threads. */
    public static final String DECISIONS_PER_SECOND_2 = DECISIONS_PER_SECOND + ".2";

    public static final String REDIS_CPU_MICROS = "redisCpuMicros";
    /** The time of a decision, in nanoseconds. */
    public static final String NANOS = "nanos";

    /** The memory that a decision allocates. */
    public static final String ALLOCATED_BYTES = "allocatedBytes";

    /** The number of script calls that Redis ran in a second. */
    public static final String CALLS_PER_SECOND = "callsPerSecond";

    public static final String COMMANDS = "commands";
    public static final String ROUND_TRIPS = "roundTrips";
    public static final String BYTES_IN = "bytesIn";
    public static final String BYTES_OUT = "bytesOut";

    /** The median latency of a request, which in scenarios of queues may have a batch of jobs. */
    public static final String P50_MICROS = "p50Micros";

    public static final String P99_MICROS = "p99Micros";

    /** The memory of Redis for a key; a prefix, which the limit of the key follows. */
    public static final String BYTES_PER_KEY = "bytesPerKey.";

    public static final String REQUESTS_PER_SECOND = "requestsPerSecond";

    /** The processor time of the application for each request. */
    public static final String APP_CPU_MICROS = "appCpuMicros";

    /** The memory of the application after a garbage collection. */
    public static final String APP_MEMORY_BYTES = "appMemoryBytes";

    /** The memory of Redis beyond that of an empty Redis. */
    public static final String REDIS_MEMORY_BYTES = "redisMemoryBytes";

    public static final String JOBS_PER_SECOND = "jobsPerSecond";

    /** The memory of Redis for each delayed job. */
    public static final String BYTES_PER_JOB_DELAYED = "bytesPerJob.delayed";

    /** The memory of Redis for each due job. */
    public static final String BYTES_PER_JOB_READY = "bytesPerJob.ready";

    /** The time from the due time of a job until its handler started. */
    public static final String LATE_P50_MICROS = "lateP50Micros";

    public static final String LATE_P99_MICROS = "lateP99Micros";
    public static final String LATE_LEAST_MICROS = "lateLeastMicros";

    /** The longest time for which a script blocked Redis. */
    public static final String LONGEST_CALL_MICROS = "longestCallMicros";

    /** The number of script calls that blocked Redis for more than 5 ms. */
    public static final String LONG_CALLS = "callsOver5Millis";

    /** The number of allowed requests of a turn. */
    public static final String ALLOWED = "allowed";

    /** The number of denied requests of a turn. */
    public static final String DENIED = "denied";

    /** The number of requests that the same algorithm would allow if each were decided exactly when it was due. */
    public static final String ALLOWED_BY_MODEL = "allowedByModel";

    private Metrics() {}
}
