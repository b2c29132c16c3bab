package io.headgate.redis.capacity;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** A queue in an otherwise empty Redis, filled and worked on through the library, whose cost in Redis is measured. */
final class MeasuredQueue implements AutoCloseable {

    static final Duration HOUR = Duration.ofHours(1);
    /** So short that the job is due by the next call. */
    static final Duration ONE_MICROSECOND = Duration.ofNanos(1000);

    private final RedisProbe probe;
    private final RedisQueueEngine engine;
    final JobQueue<byte[]> queue;
    private final long emptyBytes;
    private final byte[] payload;
    private final int batch;
    private final Duration delay;
    private final double keyed;
    private int sent;

    private Map<String, Long> callsBefore = Map.of();
    private long inBefore;
    private long outBefore;

    /**
     * Creates a queue with one shard that keeps no done jobs.
     *
     * @param payload the bytes of each payload
     * @param batch the number of jobs that a call enqueues
     * @param delay the delay of each job
     * @param keyed the share of jobs with a key
     */
    MeasuredQueue(String url, int payload, int batch, Duration delay, double keyed) {
        this(url, payload, batch, delay, keyed, QueueSettings.of("orders"));
    }

    MeasuredQueue(String url, int payload, int batch, Duration delay, double keyed, QueueSettings settings) {
        this.payload = new byte[payload];
        this.batch = batch;
        this.delay = delay;
        this.keyed = keyed;
        this.probe = RedisProbe.of(url);
        probe.flushAll();
        // Loads the scripts, so that they are not measured.
        try (RedisQueueEngine before = Engines.queues(url)) {
            loadScripts(before, settings);
        }
        UsedMemory.empty(probe);
        this.emptyBytes = UsedMemory.bytes(probe);
        this.engine = Engines.queues(url);
        // Each engine loads a script before its first call, which a plan does not count.
        loadScripts(engine, settings);
        probe.flushAll();
        this.queue = engine.queue(settings, Codec.bytes());
    }

    private static void loadScripts(RedisQueueEngine engine, QueueSettings settings) {
        JobQueue<byte[]> queue = engine.queue(settings, Codec.bytes());
        queue.enqueueAll(List.of(NewJob.of(new byte[0]).once("a"), NewJob.of(new byte[0])));
        queue.enqueue(new byte[0], HOUR);
        queue.enqueue(new byte[0]);
        queue.claim(1, HOUR).get(0).ack();
    }

    /** Opens the queue again, as another process would. */
    JobQueue<byte[]> open() {
        return engine.queue(queue.settings(), Codec.bytes());
    }

    /** Enqueues jobs, one batch per call. */
    void enqueue(int jobs) {
        enqueue(jobs, delay);
    }

    private void enqueue(int jobs, Duration after) {
        List<NewJob<byte[]>> batchJobs = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            NewJob<byte[]> job = NewJob.of(payload);
            // Each at a different time: otherwise, the jobs of one call would be due at the same time.
            job = after.isZero() ? job : job.after(after.plusNanos(1000L * sent));
            boolean hasKey = Math.floor((sent + 1) * keyed) > Math.floor(sent * keyed);
            batchJobs.add(hasKey ? job.once(String.format(Locale.ROOT, "%036d", sent)) : job);
            sent++;
            if (batchJobs.size() == batch || i == jobs - 1) {
                queue.enqueueAll(batchJobs);
                batchJobs.clear();
            }
        }
    }

    /** Enqueues {@code jobs} jobs that are due, and claims them by calls of at most {@code max} each. */
    void claim(int jobs, int max) {
        // Due immediately, as they must be claimed, but stored as delayed jobs if the queue has a delay.
        enqueue(jobs, delay.isZero() ? delay : ONE_MICROSECOND);
        for (int left = jobs; left > 0; left -= max) {
            int size = poll(Math.min(left, max), List.of()).claimed().size();
            if (size != Math.min(left, max)) {
                throw new IllegalStateException("claimed " + size + " of " + max);
            }
        }
    }

    /** Enqueues jobs, each of which fails {@code failures} times and is settled by {@code last} the last time. */
    void fail(int jobs, int failures, Function<ClaimedJob<byte[]>, Settlement> last) {
        enqueue(jobs, ONE_MICROSECOND);
        for (int i = 1; i <= failures; i++) {
            boolean isLast = i == failures;
            claimAndSettle(
                    500,
                    jobs,
                    work -> isLast ? last.apply(work) : work.retrySettlement(ONE_MICROSECOND, failureCause()));
        }
    }

    /** The cause that a failed job is stored with. */
    static String failureCause() {
        return "x".repeat(100);
    }

    /** Claims up to {@code max} jobs at a time and settles them, until {@code jobs} were claimed. */
    void claimAndSettle(int max, int jobs, Function<ClaimedJob<byte[]>, Settlement> settling) {
        for (int left = jobs; left > 0; ) {
            List<ClaimedJob<byte[]>> claimed =
                    poll(Math.min(max, left), List.of()).claimed();
            if (!claimed.isEmpty()) {
                poll(0, claimed.stream().map(settling).toList());
            }
            left -= claimed.size();
        }
    }

    private PollResult<byte[]> poll(int max, List<Settlement> settling) {
        return queue.source()
                .poll(new PollRequest(max, HOUR, settling))
                .toCompletableFuture()
                .join();
    }

    /** Starts counting commands and bytes. */
    void startMeasuring() {
        callsBefore = probe.commandCalls();
        inBefore = net("total_net_input_bytes");
        outBefore = net("total_net_output_bytes");
    }

    long bytesIn() {
        return net("total_net_input_bytes") - inBefore;
    }

    long bytesOut() {
        return net("total_net_output_bytes") - outBefore;
    }

    long calls(String command) {
        return probe.commandCalls().getOrDefault(command, 0L) - callsBefore.getOrDefault(command, 0L);
    }

    long commands() {
        return probe.commandCalls().entrySet().stream()
                .filter(command -> !command.getKey().equals("INFO"))
                .mapToLong(command -> command.getValue() - callsBefore.getOrDefault(command.getKey(), 0L))
                .sum();
    }

    private long net(String counter) {
        return Long.parseLong(probe.info("stats").getOrDefault(counter, "0"));
    }

    long keys() {
        return (Long) Objects.requireNonNull(probe.command("DBSIZE"));
    }

    /** Returns the memory beyond that of an empty Redis; closes the engine first, as connections have buffers. */
    long bytes() {
        engine.close();
        return UsedMemory.bytes(probe) - emptyBytes;
    }

    @Override
    public void close() {
        engine.close();
        probe.flushAll();
        probe.close();
    }
}
