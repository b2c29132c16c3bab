package io.headgate.config.internal.stores;

import java.util.List;
import java.util.Optional;

/**
 * The operations of a key-value store that a {@link VersionStore} needs. Each throws a {@link StoreFailure} if the store rejects a call, or
 * does not reply. Safe for use by several threads.
 */
public interface VersionStorage {

    /**
     * The current version.
     *
     * @param version empty if there is none
     * @param changedAt identifies the write of the current version; 0 if there is none
     */
    record Current(Optional<StoredVersion> version, long changedAt) {}

    /**
     * The result of a commit.
     *
     * @param committed false if the current version has changed; it is also false if the client has sent the commit twice
     * @param current the current version if it is not committed
     */
    record Commit(boolean committed, Optional<StoredVersion> current) {}

    /** How large a part of a text may be, in bytes. */
    int partBytes();

    /** Reads the current version, without the texts. */
    Current current();

    /** Reads the value of a key, if it exists. */
    Optional<byte[]> read(String key);

    /** Reads the last versions by number, the last one first, up to this many. */
    List<StoredVersion> newest(int max);

    /** Writes a part of a text. */
    void write(String key, byte[] value);

    /**
     * Replaces the current version, adds it to the others, and deletes dropped ones, all at once, if the current version has not changed.
     *
     * @param before the current version as it was read
     * @param next the version to write
     * @param dropped the oldest versions, up to {@value VersionStore#MAX_DROPPED}
     */
    Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped);

    /** Deletes the key of the current version, if it has not changed; returns whether it was deleted. */
    boolean removeCurrent(Current before);

    /** Returns all keys that start with this prefix. */
    List<String> keys(String prefix);

    /** Deletes all keys that start with this prefix. */
    void deleteAll(String prefix);
}
