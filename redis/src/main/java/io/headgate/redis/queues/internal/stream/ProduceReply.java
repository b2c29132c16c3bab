package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.QueueListener.EnqueuedJobs;
import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.EntryId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of adding entries to a stream.
 *
 * @param ids the ids of the entries; empty when the stream is full
 * @param neededBy a group that still needs the entries that would have been trimmed, when the stream is full
 */
record ProduceReply(List<EntryId> ids, Optional<String> neededBy) {

    /** The counts for listeners, of that number of given entries. */
    EnqueuedJobs counts(int given) {
        return new EnqueuedJobs(ids.size(), 0, 0, given - ids.size());
    }

    static ProduceReply of(byte[] reply) {
        if (reply[0] == 0) {
            return new ProduceReply(List.of(), Optional.of(Utf8.text(reply, 1, reply.length - 1)));
        }
        List<EntryId> ids = new ArrayList<>();
        for (int at = 1; at < reply.length; at += 1 + reply[at]) {
            ids.add(EntryId.parse(Utf8.text(reply, at + 1, reply[at])));
        }
        return new ProduceReply(List.copyOf(ids), Optional.empty());
    }
}
