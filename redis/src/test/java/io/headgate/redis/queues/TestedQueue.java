package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The kinds of queues and groups that {@link NothingLostIT} tests. */
enum TestedQueue {
    QUEUE {
        @Override
        Jobs open(QueueEngine engine) {
            return queue(engine, SETTINGS);
        }
    },

    /** A queue of several shards that keeps done jobs. */
    SHARDS {
        @Override
        Jobs open(QueueEngine engine) {
            return queue(engine, SETTINGS.withShards(4).withKeepDone(KeepDone.forTime(LONG)));
        }

        @Override
        boolean keepsDone() {
            return true;
        }
    },

    /** A queue in which most jobs have a tenant. */
    TENANTS {
        @Override
        Jobs open(QueueEngine engine) {
            return queue(engine, SETTINGS);
        }

        @Override
        NewJob<String> job(String payload) {
            int tenant = Math.floorMod(payload.hashCode(), 5);
            return tenant == 0 ? NewJob.of(payload) : NewJob.of(payload).tenant("tenant" + tenant);
        }
    },

    /** A group whose leases are shorter than its minimum idle time, so that they can be extended. */
    GROUP {
        @Override
        Jobs open(QueueEngine engine) {
            return group(engine, Duration.ZERO);
        }
    },

    /**
     * A group with leases as long as its minimum idle time and with large claims, so that a command after the script reads a backlog
     * ({@code TrailingReadIT}). The group keeps the keys of done entries.
     */
    BACKLOG {
        @Override
        Jobs open(QueueEngine engine) {
            return group(engine, LONG);
        }

        @Override
        boolean keepsDone() {
            return true;
        }

        @Override
        int maxClaim() {
            return 20;
        }

        @Override
        Duration lease() {
            return RandomWorkerProcess.LEASE.multipliedBy(2);
        }
    };

    private static final Duration LONG = Duration.ofHours(1);
    private static final QueueSettings SETTINGS = QueueSettings.of("kept").withMaxCrashes(100);

    /** A new job for a queue. */
    NewJob<String> job(String payload) {
        return NewJob.of(payload);
    }

    Jobs queue(QueueEngine engine, QueueSettings settings) {
        JobQueue<String> queue = engine.queue(settings, Codec.text());
        return new Jobs() {
            @Override
            public void add(String payload, Duration delay) {
                NewJob<String> job = TestedQueue.this.job(payload).after(delay);
                queue.enqueue(hasKey(payload) ? job.once(payload) : job);
            }

            @Override
            public List<Lease<String>> claim(int maxClaim, Duration lease) {
                return queue.claim(maxClaim, lease);
            }

            @Override
            public boolean allDone() {
                return isEmpty(queue.counts());
            }
        };
    }

    private static Jobs group(QueueEngine engine, Duration keepDone) {
        EventStream<String> stream = engine.stream("kept", Codec.text());
        ConsumerGroup<String> group = stream.group(GroupSettings.of("group")
                .withMinIdle(RandomWorkerProcess.LEASE.multipliedBy(2))
                .withMaxCrashes(100)
                .withKeepDone(keepDone));
        return new Jobs() {
            @Override
            public void add(String payload, Duration delay) {
                NewEntry<String> entry = NewEntry.of(payload);
                stream.produce(hasKey(payload) ? entry.once(payload) : entry);
            }

            @Override
            public List<Lease<String>> claim(int maxClaim, Duration lease) {
                return group.claim(maxClaim, lease);
            }

            @Override
            public boolean allDone() {
                StreamState state = stream.state();
                return state.groups().stream()
                                .allMatch(one ->
                                        one.pending() == 0 && state.last().equals(Optional.of(one.delivered())))
                        && isEmpty(group.retryCounts());
            }
        };
    }

    /** Whether a job has a key, which is its payload; half of the jobs have one. */
    static boolean hasKey(String payload) {
        return payload.charAt(payload.length() - 1) % 2 == 0;
    }

    /** Whether a job with a key is handled once, however often it is added. */
    boolean keepsDone() {
        return false;
    }

    /** The maximum number of jobs in a claim. */
    int maxClaim() {
        return RandomWorkerProcess.MAX_CLAIM;
    }

    /** The lease of a claim. */
    Duration lease() {
        return RandomWorkerProcess.LEASE;
    }

    /** The operations of the test, on a queue or a group. */
    interface Jobs {

        void add(String payload, Duration delay);

        List<Lease<String>> claim(int maxClaim, Duration lease);

        boolean allDone();
    }

    abstract Jobs open(QueueEngine engine);

    /**
     * How much later a job may have been claimed than the expiry of its lease implies, in microseconds: streams count idle time in
     * milliseconds, from the start of the script.
     */
    long slackMicros() {
        return this == GROUP || this == BACKLOG ? 5_000 : 0;
    }

    private static boolean isEmpty(QueueCounts counts) {
        return counts.ready() + counts.delayed() + counts.leased() == 0;
    }
}
