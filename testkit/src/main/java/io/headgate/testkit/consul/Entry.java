package io.headgate.testkit.consul;

import java.util.Optional;

/**
 * A key of the store with its value and its indices.
 *
 * @param value in Base64
 * @param session the session that has locked it
 */
record Entry(
        String key,
        String value,
        String flags,
        long createIndex,
        long modifyIndex,
        long lockIndex,
        Optional<String> session) {

    Entry with(String newValue, String newFlags, long index) {
        return new Entry(key, newValue, newFlags, createIndex, index, lockIndex, session);
    }

    Entry acquiredBy(String id, long index) {
        long locks = isLockedBy(id) ? lockIndex : lockIndex + 1;
        return new Entry(key, value, flags, createIndex, index, locks, Optional.of(id));
    }

    Entry released(long index) {
        return new Entry(key, value, flags, createIndex, index, lockIndex, Optional.empty());
    }

    boolean isLockedBy(String id) {
        return session.filter(id::equals).isPresent();
    }

    String json(boolean withValue) {
        return "{\"LockIndex\":" + lockIndex + ",\"Key\":" + FlatJson.quoted(key) + ",\"Flags\":" + flags
                + ",\"Value\":" + (withValue ? "\"" + value + "\"" : "null")
                + session.map(id -> ",\"Session\":\"" + id + "\"").orElse("")
                + ",\"CreateIndex\":" + createIndex + ",\"ModifyIndex\":" + modifyIndex + "}";
    }
}
