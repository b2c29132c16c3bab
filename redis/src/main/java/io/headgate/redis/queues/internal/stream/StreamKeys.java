package io.headgate.redis.queues.internal.stream;

/**
 * The keys of one stream. {@code prefix:s:{stream}} is the key of the stream and its channel; every other key starts with it. The braces
 * are a hash tag, which keeps the keys in one slot of a Cluster.
 */
final class StreamKeys {

    private final String stream;

    StreamKeys(String prefix, String name) {
        this.stream = prefix + ":s:{" + name + "}";
    }

    String stream() {
        return stream;
    }

    /** The keys for producing entries. */
    String[] produce() {
        return new String[] {stream, awaited()};
    }

    /** The keys for claiming, which follow those of the group's retry queue. */
    String[] claim(String group) {
        return new String[] {stream, scanState(group), done(group), awaited()};
    }

    /** The keys for claiming when a trailing command, an {@code XREADGROUP} after the script, may read new entries. */
    String[] claim(String group, String trailingReadKey) {
        return new String[] {stream, scanState(group), done(group), awaited(), trailingReadKey};
    }

    /** The keys for settling, which follow those of the group's retry queue. */
    String[] settle(String group) {
        return new String[] {stream, scanState(group), done(group)};
    }

    /** The keys for removing the group, which follow those of its retry queue; the last is the data that a repair has set aside. */
    String[] remove(String group) {
        return new String[] {stream, scanState(group), done(group), queue(group) + ":aside"};
    }

    /** The keys for calls that only acknowledge, and for declaring the group. */
    String[] ack(String group) {
        return new String[] {stream, scanState(group)};
    }

    /** The sorted set of the job keys of done entries; the retry queue has no Redis key of this name. */
    String done(String group) {
        return queue(group) + ":done-keys";
    }

    /** A string that exists while a consumer waits for an entry. */
    private String awaited() {
        return stream + ":awaited";
    }

    /** The header key of a group's retry queue. */
    String queue(String group) {
        return stream + ":g:" + group;
    }

    /** The scan state: when and from where to scan for expired leases, and the fence of the group. */
    private String scanState(String group) {
        return queue(group) + ":scan";
    }

    /** The key that the script of one claim creates if the trailing command may read new entries. */
    String trailingRead(String group, String claim) {
        return queue(group) + ":open:" + claim;
    }
}
