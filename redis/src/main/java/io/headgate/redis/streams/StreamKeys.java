package io.headgate.redis.streams;

/**
 * The keys of one stream, all of them: {@code prefix:s:{stream}} is the stream and its channel, and what else it has begins
 * with that. The braces keep them in one slot of a Cluster.
 */
final class StreamKeys {

    private final String stream;

    StreamKeys(String prefix, String name) {
        this.stream = prefix + ":s:{" + name + "}";
    }

    String stream() {
        return stream;
    }

    /** For producing. */
    String[] produce() {
        return new String[] {stream, awaited()};
    }

    /** There while a consumer waits for an entry. */
    String awaited() {
        return stream + ":awaited";
    }

    /** The header of a group's queue. */
    String queue(String group) {
        return stream + ":g:" + group;
    }

    /** When to look for entries that are to be taken over, and where. */
    String scan(String group) {
        return queue(group) + ":scan";
    }
}
