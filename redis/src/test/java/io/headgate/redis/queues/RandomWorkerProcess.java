package io.headgate.redis.queues;

import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.redis.queues.internal.job.Times;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A child process that claims jobs and settles each in a random way, until it is killed. It logs each claim, each ack or
 * return before its call, and the results; {@link JobHistory} reads the log.
 */
final class RandomWorkerProcess {

    /** The lease of most tested queues, and of extensions. */
    static final Duration LEASE = Duration.ofMillis(400);

    /** The most jobs of a claim of most tested queues. */
    static final int MAX_CLAIM = 8;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final TestedQueue tested;
    private final TestedQueue.Jobs jobs;
    private final SplittableRandom random;

    private RandomWorkerProcess(TestedQueue tested, TestedQueue.Jobs jobs, long seed) {
        this.tested = tested;
        this.jobs = jobs;
        this.random = new SplittableRandom(seed);
    }

    /** Runs until it is killed; the arguments are a URL, the name of a {@link TestedQueue}, and a seed. */
    public static void main(String[] arguments) {
        RedisQueueEngine engine = connect(arguments[0]);
        TestedQueue tested = TestedQueue.valueOf(arguments[1]);
        RandomWorkerProcess worker = new RandomWorkerProcess(tested, tested.open(engine), Long.parseLong(arguments[2]));
        worker.write("ready");
        while (true) {
            worker.claimAndSettle();
        }
    }

    private static RedisQueueEngine connect(String url) {
        while (true) {
            try {
                return RedisQueueEngine.connect(url);
            } catch (QueueException e) {
                // The test is restarting Redis.
                System.err.println(e);
            }
        }
    }

    private void claimAndSettle() {
        try {
            List<Lease<String>> leases = jobs.claim(tested.maxClaim(), tested.lease());
            if (leases.isEmpty()) {
                pause();
            }
            for (Lease<String> lease : leases) {
                String job = lease.job().payload() + " " + lease.job().delivery();
                long expires = Times.micros(lease.expiresAt());
                // The latest time of the claim.
                long claimed = expires - Times.micros(tested.lease()) + tested.slackMicros();
                write("claimed " + job + " " + claimed + " " + expires + " "
                        + Times.micros(lease.job().dueAt()));
                settle(lease, job);
            }
        } catch (QueueException e) {
            // The call may have taken effect or not; the next round claims again.
            write("failed");
            pause();
        }
    }

    /** Leaves the processors to other processes, above all to those that start. */
    private static void pause() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** Writes a line with a mark at its end: a killed process may leave half a line. */
    private void write(String line) {
        out.println(line + JobHistory.END_OF_LINE);
    }

    private void settle(Lease<String> lease, String job) {
        int choice = random.nextInt(100);
        if (choice < 5) {
            return; // neither settles nor extends it, as if it hung
        }
        if (choice < 15) {
            write("returning " + job);
            write("returned " + job + " " + lease.handBack(Duration.ofMillis(random.nextInt(20))));
        } else if (choice < 30) {
            write("returning " + job);
            write("returned " + job + " " + lease.retry(Duration.ofMillis(random.nextInt(50)), "tried"));
        } else {
            if (choice < 40) {
                write("extended " + job + " " + lease.extend(LEASE.multipliedBy(2)) + " "
                        + Times.micros(lease.expiresAt()));
            }
            write("acking " + job);
            write("acked " + job + " " + lease.ack());
        }
    }
}
