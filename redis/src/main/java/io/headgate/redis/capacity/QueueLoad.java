package io.headgate.redis.capacity;

import io.headgate.queues.KeepDone;
import io.headgate.redis.queues.internal.job.QueueKeys;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The inputs of a queue plan, with their defaults, and the rates that follow directly from them. The methods of {@link
 * QueuePlan.Builder} describe the inputs. Times are in seconds, rates per second.
 */
final class QueueLoad {

    /** A worker prefetches the jobs that it handles in this time, as in InFlightJobs. */
    private static final double PREFETCH_SECONDS = 0.1;

    private static final int MAX_PREFETCHED = 500;

    String keyPrefix = "hg";
    String name = "orders";

    double enqueued = 100;
    int batch = 1;
    int payload = 500;
    int headers;
    double keyed;
    int keyLength = 36;
    double delay;
    OptionalDouble waiting = OptionalDouble.empty();

    int workers = 2;
    int concurrency = 10;
    double handling = 0.1;
    double lease = 30;
    double roundTrip = 0.0002;
    /** The jobs of a claim if clients call {@code claim} themselves, without workers. */
    OptionalInt manualClaim = OptionalInt.empty();

    double failing;
    int attempts = 10;
    double backoff = 1;
    int cause = 100;
    long dead;

    double standstill = 600;

    int shards = 1;
    KeepDone keepDone = KeepDone.none();

    /** Returns the load of one shard, which is a queue of its own. */
    QueueLoad ofShard() {
        QueueLoad part = new QueueLoad();
        part.keyPrefix = keyPrefix;
        part.name = name;
        part.shards = shards;
        part.enqueued = enqueued / shards;
        part.batch = batch;
        part.payload = payload;
        part.headers = headers;
        part.keyed = keyed;
        part.keyLength = keyLength;
        part.delay = delay;
        part.waiting = OptionalDouble.of(waiting() / shards);
        part.workers = workers;
        part.concurrency = concurrency;
        part.handling = handling;
        part.lease = lease;
        part.roundTrip = roundTrip;
        part.manualClaim = manualClaim;
        part.failing = failing;
        part.attempts = attempts;
        part.backoff = backoff;
        part.cause = cause;
        part.dead = dead;
        part.standstill = standstill;
        part.keepDone = keepDone;
        return part;
    }

    /** The mean number of attempts of a job. */
    double attemptsOfAJob() {
        double sum = 0;
        for (int i = 0; i < attempts; i++) {
            sum += Math.pow(failing, i);
        }
        return sum;
    }

    /** The jobs claimed per second, each as often as it is attempted. */
    double claimedJobs() {
        return enqueued * attemptsOfAJob();
    }

    /** The jobs per second that fail and wait for their next attempt. */
    double retried() {
        return enqueued * (attemptsOfAJob() - 1);
    }

    /** The jobs per second that become dead letters because their last attempt fails. */
    double newDeadLetters() {
        return enqueued * Math.pow(failing, attempts);
    }

    /** The jobs per second that are done. */
    double acked() {
        return enqueued - newDeadLetters();
    }

    /** The mean number of done jobs that are kept. */
    double keptDone() {
        double seconds = keepDone.time().toMillis() / 1000.0;
        return Math.min((double) keepDone.max(), acked() * seconds);
    }

    /** The mean number of jobs that wait for their first attempt. */
    double waiting() {
        return waiting.orElse(enqueued * delay);
    }

    /** The mean number of jobs in flight. */
    double inFlight() {
        return claimedJobs() * handling;
    }

    /** The maximum number of attempts per second that all handlers can make. */
    double maxHandled() {
        return handling > 0 ? workers * concurrency / handling : Double.POSITIVE_INFINITY;
    }

    /** The maximum number of jobs that a worker has in flight when it handles that number of jobs per second. */
    double maxInFlight(double handled) {
        return Math.max(concurrency, Math.min(MAX_PREFETCHED, concurrency + PREFETCH_SECONDS * handled));
    }

    /** How often a lease is extended while its job is handled. */
    int extensions() {
        return manualClaim.isPresent() ? 0 : (int) (handling / (lease / 3));
    }

    /** The keys of the last shard, which represent those of all shards. The keys of each shard but the first contain its number. */
    QueueKeys keys() {
        return new QueueKeys(keyPrefix, name, shards - 1);
    }

    /** Returns a share if it is from 0 to 1. */
    static double share(String what, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(what + " must be from 0 to 1, was " + share);
        }
        return share;
    }

    /** Returns a time in seconds if it is in a range. */
    static double seconds(String what, Duration time, Duration least, Duration most) {
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " must be from " + least + " to " + most + ", was " + time);
        }
        return time.getSeconds() + time.getNano() / 1e9;
    }
}
