package io.headgate.redis.capacity;

import io.headgate.queues.KeepDone;
import io.headgate.redis.queues.internal.job.QueueKeys;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The inputs of a queue plan, with their defaults, and the rates that follow directly from them. Times are in seconds. */
final class QueueLoad {

    /** How far a worker prefetches, as InFlightJobs does. */
    private static final double SECONDS_AHEAD = 0.1;

    private static final int MAX_CLAIMED = 500;

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
    OptionalInt claimed = OptionalInt.empty();

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
        part.claimed = claimed;
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

    /** Claimed jobs a second. */
    double handedOut() {
        return enqueued * attemptsOfAJob();
    }

    /** Jobs a second that fail and wait for their next attempt. */
    double retried() {
        return enqueued * (attemptsOfAJob() - 1);
    }

    /** Jobs a second whose last attempt fails. */
    double died() {
        return enqueued * Math.pow(failing, attempts);
    }

    /** Jobs a second that are done. */
    double acked() {
        return enqueued - died();
    }

    /** Done jobs that are kept. */
    double done() {
        double seconds = keepDone.time().toMillis() / 1000.0;
        return Math.min((double) keepDone.max(), acked() * seconds);
    }

    /** The mean number of jobs that wait for their first attempt. */
    double waiting() {
        return waiting.orElse(enqueued * delay);
    }

    /** Jobs in flight, on average. */
    double inFlight() {
        return handedOut() * handling;
    }

    /** The most attempts a second that all handlers make. */
    double mostHandled() {
        return handling > 0 ? workers * concurrency / handling : Double.POSITIVE_INFINITY;
    }

    /** The most jobs that a worker has in flight when it handles that number a second. */
    double mostInFlight(double handled) {
        return Math.max(concurrency, Math.min(MAX_CLAIMED, concurrency + SECONDS_AHEAD * handled));
    }

    /** How often a lease is extended while its job is handled. */
    int extensions() {
        return claimed.isPresent() ? 0 : (int) (handling / (lease / 3));
    }

    /** The keys of one shard: the last, because every shard but the first has its number in its keys. */
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
