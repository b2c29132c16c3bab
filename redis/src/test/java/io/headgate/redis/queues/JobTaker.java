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
 * A process that claims jobs and does one thing or another with each, until it is killed. It writes down what it was handed
 * out, what it is about to say of it, and what it was answered; see {@link JobHistory}.
 */
final class JobTaker {

    static final Duration LEASE = Duration.ofMillis(400);

    static final int MOST = 8;

    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Kept kept;
    private final Kept.Jobs jobs;
    private final SplittableRandom random;

    private JobTaker(Kept kept, Kept.Jobs jobs, long seed) {
        this.kept = kept;
        this.jobs = jobs;
        this.random = new SplittableRandom(seed);
    }

    /** Runs until it is killed; the arguments are a URL, what is kept there, and a seed. */
    public static void main(String[] arguments) {
        RedisQueueEngine engine = connect(arguments[0]);
        Kept kept = Kept.valueOf(arguments[1]);
        JobTaker taker = new JobTaker(kept, kept.of(engine), Long.parseLong(arguments[2]));
        taker.write("ready");
        while (true) {
            taker.turn();
        }
    }

    private static RedisQueueEngine connect(String url) {
        while (true) {
            try {
                return RedisQueueEngine.connect(url);
            } catch (QueueException e) {
                // Redis is just being killed.
                System.err.println(e);
            }
        }
    }

    private void turn() {
        try {
            List<Lease<String>> leases = jobs.claim(kept.most(), kept.lease());
            if (leases.isEmpty()) {
                rest();
            }
            for (Lease<String> lease : leases) {
                String job = lease.job().payload() + " " + lease.job().delivery();
                long expires = Times.micros(lease.expiresAt());
                long claimed = expires - Times.micros(kept.lease()) + kept.slackMicros();
                write("claimed " + job + " " + claimed + " " + expires + " "
                        + Times.micros(lease.job().dueAt()));
                settle(lease, job);
            }
        } catch (QueueException e) {
            // Whatever it was, it is not known whether it was done; the next turn is another try.
            write("trouble");
            rest();
        }
    }

    /** Leaves the processors to those that have something to do: those that start, above all. */
    private static void rest() {
        LockSupport.parkNanos(REST_NANOS);
    }

    /** A line is whole when it ends so: who is killed may leave half of one. */
    private void write(String line) {
        out.println(line + JobHistory.WHOLE);
    }

    private void settle(Lease<String> lease, String job) {
        int what = random.nextInt(100);
        if (what < 5) {
            return; // as one who has hung up
        }
        if (what < 15) {
            write("backing " + job);
            write("back " + job + " " + lease.handBack(Duration.ofMillis(random.nextInt(20))));
        } else if (what < 30) {
            write("backing " + job);
            write("back " + job + " " + lease.retry(Duration.ofMillis(random.nextInt(50)), "tried"));
        } else {
            if (what < 40) {
                write("extended " + job + " " + lease.extend(LEASE.multipliedBy(2)) + " "
                        + Times.micros(lease.expiresAt()));
            }
            write("acking " + job);
            write("acked " + job + " " + lease.ack());
        }
    }
}
