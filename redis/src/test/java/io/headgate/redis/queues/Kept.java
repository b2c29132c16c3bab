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

/** What must lose nothing, whatever is killed. */
enum Kept {
    QUEUE {
        @Override
        Jobs of(QueueEngine engine) {
            return queue(engine, SETTINGS);
        }
    },

    /** One that is spread over several shards, and keeps what is done. */
    SHARDS {
        @Override
        Jobs of(QueueEngine engine) {
            return queue(engine, SETTINGS.withShards(4).withKeepDone(KeepDone.forTime(LONG)));
        }

        @Override
        boolean keepsDone() {
            return true;
        }
    },

    /** One whose jobs have tenants, or none. */
    TENANTS {
        @Override
        Jobs of(QueueEngine engine) {
            return queue(engine, SETTINGS);
        }

        @Override
        NewJob<String> job(String payload) {
            int tenant = Math.floorMod(payload.hashCode(), 5);
            return tenant == 0 ? NewJob.of(payload) : NewJob.of(payload).tenant("tenant" + tenant);
        }
    },

    /** Its leases are shorter than its minimum idle time, so that some can be extended. */
    GROUP {
        @Override
        Jobs of(QueueEngine engine) {
            return group(engine, Duration.ZERO);
        }
    },

    /**
     * The same, with so long and large claims that commands behind the script read a backlog; it keeps the keys of done
     * entries.
     */
    BACKLOG {
        @Override
        Jobs of(QueueEngine engine) {
            return group(engine, LONG);
        }

        @Override
        boolean keepsDone() {
            return true;
        }

        @Override
        int most() {
            return 20;
        }

        @Override
        Duration lease() {
            return JobTaker.LEASE.multipliedBy(2);
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
                NewJob<String> job = Kept.this.job(payload).after(delay);
                queue.enqueue(hasKey(payload) ? job.once(payload) : job);
            }

            @Override
            public List<Lease<String>> claim(int most, Duration lease) {
                return queue.claim(most, lease);
            }

            @Override
            public boolean areDone() {
                return none(queue.counts());
            }
        };
    }

    private static Jobs group(QueueEngine engine, Duration keepDone) {
        EventStream<String> stream = engine.stream("kept", Codec.text());
        ConsumerGroup<String> group = stream.group(GroupSettings.of("group")
                .withMinIdle(JobTaker.LEASE.multipliedBy(2))
                .withMaxCrashes(100)
                .withKeepDone(keepDone));
        return new Jobs() {
            @Override
            public void add(String payload, Duration delay) {
                NewEntry<String> entry = NewEntry.of(payload);
                stream.produce(hasKey(payload) ? entry.once(payload) : entry);
            }

            @Override
            public List<Lease<String>> claim(int most, Duration lease) {
                return group.claim(most, lease);
            }

            @Override
            public boolean areDone() {
                StreamState state = stream.state();
                return state.groups().stream()
                                .allMatch(one ->
                                        one.pending() == 0 && state.last().equals(Optional.of(one.delivered())))
                        && none(group.retries());
            }
        };
    }

    /** Whether a job has a key, itself; every other one has. */
    static boolean hasKey(String payload) {
        return payload.charAt(payload.length() - 1) % 2 == 0;
    }

    /** Whether a job that has a key is done once, how often ever it is added. */
    boolean keepsDone() {
        return false;
    }

    /** How many are claimed at once. */
    int most() {
        return JobTaker.MOST;
    }

    /** For how long they are claimed. */
    Duration lease() {
        return JobTaker.LEASE;
    }

    /** What the test does with either. */
    interface Jobs {

        void add(String payload, Duration delay);

        List<Lease<String>> claim(int most, Duration lease);

        boolean areDone();
    }

    abstract Jobs of(QueueEngine engine);

    /**
     * How much later than its lease states a job may have been handed out, in microseconds: a stream counts in milliseconds,
     * from the start of the script.
     */
    long slackMicros() {
        return this == GROUP || this == BACKLOG ? 5_000 : 0;
    }

    private static boolean none(QueueCounts counts) {
        return counts.ready() + counts.delayed() + counts.leased() == 0;
    }
}
