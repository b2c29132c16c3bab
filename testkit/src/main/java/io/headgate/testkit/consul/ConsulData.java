package io.headgate.testkit.consul;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** The keys and the sessions of the store, with the indices of their changes. Safe for use by several threads. */
final class ConsulData {

    /** The limit of the documentation. */
    static final int MAX_VALUE_BYTES = 512 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private NavigableMap<String, Entry> entries = new TreeMap<>();
    private final Map<String, Long> deleted = new LinkedHashMap<>();
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private long index = 1;
    private long restores;
    private int waiting;

    /** A session, and what happens to its keys when it ends. */
    record Session(String id, String name, long ttlSeconds, boolean deletesKeys, long renewedNanos) {

        /** Consul may end a session after up to twice its TTL. */
        boolean isExpired() {
            return ttlSeconds > 0 && System.nanoTime() - renewedNanos > TimeUnit.SECONDS.toNanos(2 * ttlSeconds);
        }

        String json() {
            return "{\"ID\":\"" + id + "\",\"Name\":" + FlatJson.quoted(name) + ",\"Node\":\"stand-in\","
                    + "\"Behavior\":\"" + (deletesKeys ? "delete" : "release") + "\",\"TTL\":\"" + ttlSeconds
                    + "s\",\"LockDelay\":15000000000,\"CreateIndex\":1,\"ModifyIndex\":1}";
        }
    }

    /** What a read returns: the keys, and the index with which to wait for their next change. */
    record Read(List<Entry> entries, long index) {}

    /** Runs a change alone, and repeats all reads that wait. */
    <T> T change(Supplier<T> change) {
        lock.lock();
        try {
            expireSessions();
            T result = change.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Runs a change; if it is rejected, nothing is changed. */
    <T> T transaction(Supplier<T> change) {
        return change(() -> {
            NavigableMap<String, Entry> before = new TreeMap<>(entries);
            long indexBefore = index;
            try {
                return change.get();
            } catch (ConsulRejection e) {
                entries = before;
                index = indexBefore;
                throw e;
            }
        });
    }

    /** Reads a key, or all keys with a prefix. */
    Read read(String key, boolean recurse) {
        lock.lock();
        try {
            expireSessions();
            List<Entry> found = recurse
                    ? entries.tailMap(key, true).values().stream()
                            .takeWhile(entry -> entry.key().startsWith(key))
                            .toList()
                    : Optional.ofNullable(entries.get(key)).stream().toList();
            LongStream removed = deleted.entrySet().stream()
                    .filter(entry -> recurse
                            ? entry.getKey().startsWith(key)
                            : entry.getKey().equals(key))
                    .mapToLong(Map.Entry::getValue);
            long last = LongStream.concat(found.stream().mapToLong(Entry::modifyIndex), removed)
                    .max()
                    .orElse(index);
            return new Read(found, last);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the index of a read is higher than this, or the time is over, or the store has been restored. */
    Read await(String key, boolean recurse, long known, long waitMillis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lock();
        try {
            long before = restores;
            Read read = read(key, recurse);
            while (read.index() <= known && left > 0 && before == restores) {
                waiting++;
                try {
                    left = changed.awaitNanos(left);
                } finally {
                    waiting--;
                }
                read = read(key, recurse);
            }
            return read;
        } finally {
            lock.unlock();
        }
    }

    /** How many reads wait for a change. */
    int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    // The methods below are for changes.

    Optional<Entry> find(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    Entry put(String key, byte[] value, String flags) {
        if (value.length > MAX_VALUE_BYTES) {
            throw new ConsulRejection(
                    413,
                    "Request body(" + value.length + " bytes) too large, max size: " + MAX_VALUE_BYTES + " bytes.");
        }
        long now = ++index;
        String encoded = Base64.getEncoder().encodeToString(value);
        Entry next = find(key)
                .map(entry -> entry.with(encoded, flags, now))
                .orElseGet(() -> new Entry(key, encoded, flags, now, now, 0, Optional.empty()));
        entries.put(key, next);
        deleted.remove(key);
        return next;
    }

    boolean acquire(String key, byte[] value, String flags, String session) {
        if (!sessions.containsKey(session)) {
            throw new ConsulRejection(500, "invalid session \"" + session + "\"");
        }
        if (find(key).flatMap(Entry::session).filter(id -> !id.equals(session)).isPresent()) {
            return false;
        }
        entries.put(key, put(key, value, flags).acquiredBy(session, index));
        return true;
    }

    void delete(String key) {
        if (entries.remove(key) != null) {
            deleted.put(key, ++index);
        }
    }

    void deleteAll(String prefix) {
        List.copyOf(entries.tailMap(prefix, true).keySet()).stream()
                .filter(key -> key.startsWith(prefix))
                .forEach(this::delete);
    }

    Session createSession(String name, long ttlSeconds, boolean deletesKeys) {
        Session session = new Session(UUID.randomUUID().toString(), name, ttlSeconds, deletesKeys, System.nanoTime());
        sessions.put(session.id(), session);
        return session;
    }

    Optional<Session> session(String id) {
        return Optional.ofNullable(sessions.get(id));
    }

    Optional<Session> renew(String id) {
        Optional<Session> renewed = session(id)
                .map(session -> new Session(
                        id, session.name(), session.ttlSeconds(), session.deletesKeys(), System.nanoTime()));
        renewed.ifPresent(session -> sessions.put(id, session));
        return renewed;
    }

    void endSession(String id) {
        session(id).ifPresent(ended -> {
            sessions.remove(id);
            for (Entry held : List.copyOf(entries.values())) {
                if (held.isLockedBy(id) && ended.deletesKeys()) {
                    delete(held.key());
                } else if (held.isLockedBy(id)) {
                    entries.put(held.key(), held.released(++index));
                }
            }
        });
    }

    private void expireSessions() {
        List.copyOf(sessions.values()).stream().filter(Session::isExpired).forEach(session -> endSession(session.id()));
    }

    /** All keys and the index, as a snapshot. */
    Read all() {
        return read("", true);
    }

    void restore(Read snapshot) {
        entries = new TreeMap<>();
        snapshot.entries().forEach(entry -> entries.put(entry.key(), entry));
        deleted.clear();
        index = snapshot.index();
        restores++;
    }
}
