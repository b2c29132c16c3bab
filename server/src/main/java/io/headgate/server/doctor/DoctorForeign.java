package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisInspector.Reply;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds values of other programs under the prefix: a key with a wrong type or length, or an invalid entry in the names of queues or
 * streams. Other keys, such as those of holds, jobs and streams, are not checked. Fallbacks decide for foreign keys of limits, so the
 * failure is easy to overlook. The check reads a bounded number of keys and entries. If there are more, the finding contains the number
 * that it read.
 */
final class DoctorForeign {

    private static final String CHECK = "foreign keys";
    private static final int MAX_PAGES = 200;
    private static final int MAX_KEYS = 10_000;
    private static final int MAX_ENTRIES = 100_000;
    private static final int MAX_FOREIGN = 20_000;

    /** The size of the shortest value of a sliding window; below, the sizes of other values of Headgate. */
    private static final int MIN_SLIDING_BYTES = 74;

    private static final int WINDOW_BYTES = 27;
    private static final int COUNTER_BYTES = 28;
    private static final int QUEUE_BYTES = 41;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern SHARDS = Pattern.compile("[1-9]|[1-5][0-9]|6[0-4]");

    private final RedisInspector redis;
    private final String keyPrefix;
    private final Pattern queue;
    /** A set, because SCAN and HSCAN may return an element twice. */
    private final Set<String> foreign = new LinkedHashSet<>();

    private final List<String> bounds = new ArrayList<>();
    private long checked;

    private DoctorForeign(RedisInspector redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
        this.queue = Pattern.compile(Pattern.quote(keyPrefix) + ":q:\\{[^}]*\\}");
    }

    static Finding check(RedisInspector redis, String keyPrefix) {
        return new DoctorForeign(redis, keyPrefix).check();
    }

    private Finding check() {
        String cursor = "0";
        int pages = 0;
        do {
            Reply page = redis.call("SCAN", cursor, "MATCH", keyPrefix + ":*", "COUNT", "1000");
            if (page.list().size() < 2 || !(page.list().get(1) instanceof List<?> keys)) {
                return Finding.unavailable(CHECK, "SCAN");
            }
            cursor = String.valueOf(page.list().get(0));
            for (Object key : keys) {
                check(String.valueOf(key));
            }
            pages++;
        } while (!cursor.equals("0") && pages < MAX_PAGES && checked < MAX_KEYS);
        if (!cursor.equals("0")) {
            bounds.add("the first " + Words.count(checked, "key") + ", in " + Words.count(pages, "call") + " of SCAN");
        }
        checkNames(keyPrefix + ":queues");
        checkNames(keyPrefix + ":streams");
        String bound = bounds.isEmpty() ? "" : ", checked: " + String.join("; ", bounds);
        if (foreign.isEmpty()) {
            return Finding.ok(CHECK, "none under " + keyPrefix + ":*" + bound);
        }
        return Finding.warning(
                CHECK,
                Words.count(foreign.size(), "value") + " that Headgate did not store, such as "
                        + foreign.iterator().next() + bound,
                "find the program that writes these, then delete them (DEL, HDEL) or use another prefix for Headgate; until then, fallbacks decide for such keys");
    }

    private void check(String key) {
        checked++;
        String rest = key.substring(Math.min(key.length(), keyPrefix.length() + 1));
        if (rest.equals("instances")) {
            expect(key, "zset");
        } else if (rest.equals("queues") || rest.equals("streams")) {
            expect(key, "hash");
        } else if (rest.startsWith("{audit}:")) {
            expect(key, "stream");
        } else if (queue.matcher(key).matches()) {
            expectBytes(key, QUEUE_BYTES, QUEUE_BYTES);
        } else {
            switch (kind(key)) {
                case "fw", "cw" -> expectBytes(key, WINDOW_BYTES, WINDOW_BYTES);
                case "sc", "tb", "lb" -> expectBytes(key, COUNTER_BYTES, COUNTER_BYTES);
                case "sw" -> expectBytes(key, MIN_SLIDING_BYTES, Integer.MAX_VALUE);
                default -> {
                    // Not checked, for example keys of holds, jobs and streams.
                }
            }
        }
    }

    /** The kind of limit of a key, such as fw for a fixed window: the two letters after the prefix, or an empty string. */
    private String kind(String key) {
        Matcher form = Pattern.compile(":([a-z]{2}):").matcher(key).region(keyPrefix.length(), key.length());
        return form.lookingAt() ? form.group(1) : "";
    }

    /** Records the key if it has another type. Returns whether Redis reports this type; false if the key is absent or TYPE fails. */
    private boolean expect(String key, String type) {
        Reply reply = redis.call("TYPE", key);
        // A key that expired meanwhile is not foreign.
        boolean is = reply.error().isPresent()
                || reply.text().equals(type)
                || reply.text().equals("none");
        if (!is) {
            foreign.add(Quoted.of(key));
        }
        return is && reply.text().equals(type);
    }

    private void expectBytes(String key, int least, int most) {
        if (!expect(key, "string")) {
            return;
        }
        Reply reply = redis.call("STRLEN", key);
        if (reply.error().isEmpty() && !reply.list().isEmpty()) {
            long bytes = Long.parseLong(reply.text());
            // The length is 0 if the key has expired since TYPE.
            if (bytes > 0 && (bytes < least || bytes > most)) {
                foreign.add(Quoted.of(key));
            }
        }
    }

    /** Checks a hash of queues or streams: each entry has a name and a number of shards. */
    private void checkNames(String hash) {
        String cursor = "0";
        long entries = 0;
        do {
            Reply page = redis.call("HSCAN", hash, cursor, "COUNT", "1000");
            if (page.list().size() < 2 || !(page.list().get(1) instanceof List<?> pairs)) {
                bounds.add("the first " + entries + " entries of " + Quoted.of(hash) + ", then HSCAN failed: "
                        + page.error().orElse("no page"));
                return;
            }
            cursor = String.valueOf(page.list().get(0));
            for (int i = 0; i + 1 < pairs.size(); i += 2) {
                checkName(hash, String.valueOf(pairs.get(i)), String.valueOf(pairs.get(i + 1)));
            }
            entries += pairs.size() / 2;
        } while (!cursor.equals("0") && entries < MAX_ENTRIES && foreign.size() < MAX_FOREIGN);
        if (!cursor.equals("0")) {
            bounds.add("the first " + entries + " entries of " + Quoted.of(hash));
        }
    }

    private void checkName(String hash, String name, String shards) {
        if (!NAME.matcher(name).matches() || !SHARDS.matcher(shards).matches()) {
            foreign.add("the entry " + Quoted.of(name) + " of " + Quoted.of(hash));
        }
    }
}
