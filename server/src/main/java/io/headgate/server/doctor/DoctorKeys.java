package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisInspector.Reply;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.List;

/**
 * Finds keys with the prefix that have no expiry, among a bounded number of keys. Keys of queues and streams have none, and are skipped.
 */
final class DoctorKeys {

    private static final String CHECK = "keys";
    private static final int MAX_PAGES = 200;
    private static final int MAX_KEYS = 10_000;

    private final RedisInspector redis;
    private long checked;
    private long withoutExpiry;
    private String example = "";

    private DoctorKeys(RedisInspector redis) {
        this.redis = redis;
    }

    static Finding check(RedisInspector redis, String keyPrefix) {
        return new DoctorKeys(redis).check(keyPrefix);
    }

    private Finding check(String keyPrefix) {
        String cursor = "0";
        int pages = 0;
        do {
            Reply page = redis.call("SCAN", cursor, "MATCH", keyPrefix + ":*", "COUNT", "1000");
            if (page.list().size() < 2 || !(page.list().get(1) instanceof List<?> keys)) {
                return Finding.unavailable(CHECK, "SCAN");
            }
            cursor = String.valueOf(page.list().get(0));
            for (Object key : keys) {
                if (mayHaveNoExpiry(keyPrefix, String.valueOf(key))) {
                    continue;
                }
                Reply ttl = redis.call("TTL", String.valueOf(key));
                if (ttl.error().isPresent()) {
                    return Finding.unavailable(CHECK, "TTL");
                }
                count(String.valueOf(key), ttl.text());
            }
            pages++;
        } while (!cursor.equals("0") && pages < MAX_PAGES && checked < MAX_KEYS);
        String scanned =
                Words.count(checked, "key") + " " + keyPrefix + ":*" + (cursor.equals("0") ? "" : " checked, of more");
        if (checked == 0 && cursor.equals("0")) {
            return Finding.ok(CHECK, "no key " + keyPrefix + ":* of limits yet");
        }
        return withoutExpiry == 0
                ? Finding.ok(CHECK, scanned + ", all of which expire")
                : Finding.warning(
                        CHECK,
                        scanned + ", of which " + withoutExpiry + " never expire, such as " + Quoted.of(example),
                        "all keys of limits expire: find the program that writes these, and use another prefix for it or for Headgate");
    }

    /** Jobs, entries, and names of queues and streams are stored until they are removed. */
    private static boolean mayHaveNoExpiry(String keyPrefix, String key) {
        return key.startsWith(keyPrefix + ":q:{")
                || key.startsWith(keyPrefix + ":s:{")
                || key.equals(keyPrefix + ":queues")
                || key.equals(keyPrefix + ":streams");
    }

    private void count(String key, String ttl) {
        checked++;
        if (ttl.equals("-1")) {
            withoutExpiry++;
            example = key;
        }
    }
}
