package io.headgate.redis.queues.internal.stream;

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

    /** For claiming, behind those of the group's queue. */
    String[] claim(String group) {
        return new String[] {stream, looks(group), done(group), awaited()};
    }

    /** For claiming when new entries are left to the trailing command. */
    String[] claim(String group, String trailingReadKey) {
        return new String[] {stream, looks(group), done(group), awaited(), trailingReadKey};
    }

    /** For settling, behind those of the group's queue. */
    String[] settle(String group) {
        return new String[] {stream, looks(group), done(group)};
    }

    /** For acks alone, and for declaring the group. */
    String[] ack(String group) {
        return new String[] {stream, looks(group)};
    }

    /** The keys of entries that are done; the retry queue has no key of this name. */
    String done(String group) {
        return queue(group) + ":done-keys";
    }

    /** Exists while a consumer waits for an entry. */
    private String awaited() {
        return stream + ":awaited";
    }

    /** The header key of a group's retry queue. */
    String queue(String group) {
        return stream + ":g:" + group;
    }

    /** When and where to scan for expired leases, and the fence of the group. */
    private String looks(String group) {
        return queue(group) + ":scan";
    }

    /** The claim's script creates it if the trailing command may read new entries. */
    String trailingRead(String group, String claim) {
        return queue(group) + ":open:" + claim;
    }
}
