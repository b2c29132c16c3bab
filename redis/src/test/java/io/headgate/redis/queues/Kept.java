package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.ConsumerGroup;
import io.headgate.queues.EventStream;
import io.headgate.queues.GroupSettings;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueCounts;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Queues;
import io.headgate.queues.StreamState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What must lose nothing, whatever is killed. */
enum Kept {
    QUEUE {
        @Override
        Jobs of(Queues engine) {
            return queue(engine, 1);
        }
    },

    /** One that is spread over several shards. */
    SHARDS {
        @Override
        Jobs of(Queues engine) {
            return queue(engine, 4);
        }
    },

    /** Its leases are shorter than its minimum idle time, so that some can be extended. */
    GROUP {
        @Override
        Jobs of(Queues engine) {
            return group(engine);
        }
    },

    /** The same, claimed by so many and for so long that a backlog is read by commands behind the script. */
    BACKLOG {
        @Override
        Jobs of(Queues engine) {
            return group(engine);
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

    private static Jobs queue(Queues engine, int shards) {
        Queue<String> queue =
                engine.queue(QueueSettings.of("kept").withMaxCrashes(100).withShards(shards), Codec.text());
        return new Jobs() {
            @Override
            public void add(String payload, Duration delay) {
                queue.enqueue(NewJob.of(payload).after(delay));
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

    private static Jobs group(Queues engine) {
        EventStream<String> stream = engine.stream("kept", Codec.text());
        ConsumerGroup<String> group = stream.group(GroupSettings.of("group")
                .withMinIdle(JobTaker.LEASE.multipliedBy(2))
                .withMaxCrashes(100));
        return new Jobs() {
            @Override
            public void add(String payload, Duration delay) {
                stream.produce(payload);
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

    abstract Jobs of(Queues engine);

    /**
     * How much later than its lease tells a job may have been handed out, in microseconds: a stream counts in milliseconds,
     * and from the beginning of the script.
     */
    long slackMicros() {
        return this == QUEUE || this == SHARDS ? 0 : 5_000;
    }

    private static boolean none(QueueCounts counts) {
        return counts.ready() + counts.delayed() + counts.leased() == 0;
    }
}
