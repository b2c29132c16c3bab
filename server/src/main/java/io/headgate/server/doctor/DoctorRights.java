package io.headgate.server.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The access rights that docs/connecting.md lists for each part of Headgate. Each command has an example. The examples of SET, LPUSH and
 * RPUSH create the key, and some change the connection; the others create no key.
 */
final class DoctorRights {

    /** A placeholder for a key of the doctor, and for a channel. */
    static final String KEY = "{key}";

    private static final String SHA1 = "0000000000000000000000000000000000000000";

    /** The rights of every connection, and of limits. */
    static final Map<String, String[]> NEEDED = examples(List.of(
            "EVALSHA " + SHA1 + " 1 {key}",
            "EVAL return~1 1 {key}",
            "SCRIPT|LOAD return~1",
            "TIME",
            "SET {key} scratch PX 60000",
            "GET {key}",
            "GETRANGE {key} 0 1",
            "STRLEN {key}",
            // Writes nothing: a key without expiry would remain where SET is not allowed.
            "SETRANGE {key} 0 ",
            "PEXPIRE {key} 60000",
            "UNLINK {key}",
            "PING",
            "HELLO",
            "AUTH password",
            "SELECT 0",
            "CLIENT|SETNAME headgate-doctor",
            "CLIENT|SETINFO lib-name headgate"));

    /**
     * An optional part of Headgate.
     *
     * @param name its name in the findings
     * @param use what the user may not do without the rights
     * @param examples an example by command
     */
    record Part(String name, String use, Map<String, String[]> examples) {}

    static final List<Part> PARTS = List.of(
            new Part(
                    "hot keys",
                    "count or read them",
                    examples(List.of(
                            // A field without a value: Redis checks the rights first, and then rejects it.
                            "HSET {key} field value field",
                            "HLEN {key}",
                            "HEXISTS {key} instance",
                            "HVALS {key}",
                            // Writes nothing, because there is no element to change.
                            "ZADD {key} XX 1 policy",
                            "ZCARD {key}",
                            "ZSCORE {key} policy",
                            "ZRANGEBYSCORE {key} 1 1",
                            "ZREMRANGEBYSCORE {key} 1 1"))),
            new Part(
                    "invalidations",
                    "notify other instances of refunds and resets, which then take effect there after up to a second",
                    // Subscribers ignore a message that is not an invalidation.
                    examples(List.of("PUBLISH {key} ", "SUBSCRIBE {key}"))),
            new Part(
                    "pauses",
                    "pause requests in all instances",
                    examples(List.of(
                            "HDEL {key} field",
                            "HGET {key} field",
                            "HKEYS {key}",
                            "HSET {key} field value field",
                            "HVALS {key}",
                            "PUBLISH {key} ",
                            "SUBSCRIBE {key}"))),
            new Part(
                    "bans",
                    "receive and change bans and exemptions",
                    examples(List.of(
                            "HDEL {key} field",
                            "HEXISTS {key} field",
                            "HGET {key} field",
                            "HLEN {key}",
                            "HMGET {key} field",
                            "HSET {key} field value field",
                            "PERSIST {key}",
                            "PUBLISH {key} ",
                            "SUBSCRIBE {key}",
                            "ZADD {key} XX 1 target",
                            "ZCARD {key}",
                            "ZRANGE {key} 0 0",
                            "ZRANGEBYSCORE {key} 1 1",
                            "ZREM {key} target",
                            "ZSCORE {key} target"))),
            new Part(
                    "audit log",
                    "write and read it",
                    examples(
                            List.of("XADD {key} NOMKSTREAM * field value", "XRANGE {key} - +", "XREVRANGE {key} + -"))),
            new Part(
                    "fallbacks",
                    "register and count instances for local shares",
                    examples(List.of(
                            "ZADD {key} XX 1 instance",
                            "ZCARD {key}",
                            "ZREM {key} instance",
                            "ZREMRANGEBYSCORE {key} 1 1"))),
            new Part(
                    "in flight",
                    "hold permits",
                    examples(List.of(
                            "PTTL {key}",
                            "PUBLISH {key} ",
                            "SUBSCRIBE {key}",
                            "ZADD {key} XX 1 member",
                            "ZCARD {key}",
                            "ZCOUNT {key} 1 1",
                            "ZRANGEBYSCORE {key} 1 1",
                            "ZREM {key} member",
                            "ZREMRANGEBYRANK {key} 0 0",
                            "ZSCORE {key} member"))),
            new Part("queues", "use them", examples(ofQueues())),
            new Part(
                    "streams",
                    "use them",
                    examples(List.of(
                            "DEL {key}",
                            "XACK {key} group 0-1",
                            "XADD {key} NOMKSTREAM * field value",
                            "XAUTOCLAIM {key} group consumer 0 0-1",
                            "XCLAIM {key} group consumer 0 0-1",
                            "XGROUP DESTROY {key} group",
                            "XINFO STREAM {key}",
                            "XLEN {key}",
                            "XPENDING {key} group",
                            "XRANGE {key} - +",
                            "XREADGROUP GROUP group consumer STREAMS {key} >",
                            "XTRIM {key} MAXLEN 0",
                            "ZMSCORE {key} member"))));

    private DoctorRights() {}

    private static List<String> ofQueues() {
        return List.of(
                "EXISTS {key}",
                "HDEL {key} field",
                "HEXISTS {key} field",
                "HGET {key} field",
                "HKEYS {key}",
                "HMGET {key} field",
                "HSCAN {key} 0",
                "HSET {key} field value field",
                "HVALS {key}",
                "LINDEX {key} 0",
                "LLEN {key}",
                "LPOP {key}",
                "LPUSH {key} element",
                "LRANGE {key} 0 0",
                "LREM {key} 0 element",
                "LSET {key} 0 element",
                "LTRIM {key} 0 0",
                "PERSIST {key}",
                "PUBLISH {key} ",
                "RPUSH {key} element",
                "SUBSCRIBE {key}",
                "ZADD {key} XX 1 member",
                "ZCARD {key}",
                "ZCOUNT {key} 1 1",
                "ZRANGE {key} 0 0",
                "ZRANGEBYSCORE {key} 1 1",
                "ZRANK {key} member",
                "ZREM {key} member",
                "ZREMRANGEBYRANK {key} 0 0",
                "ZSCAN {key} 0",
                "ZSCORE {key} member");
    }

    /**
     * The examples, by the right that each needs, such as {@code script|load}. Spaces separate words; {@code ~} is a space within a word.
     */
    private static Map<String, String[]> examples(List<String> commands) {
        Map<String, String[]> examples = new LinkedHashMap<>();
        for (String command : commands) {
            String right = command.split(" ", 2)[0].toLowerCase(Locale.ROOT);
            String[] words = command.replace('|', ' ').split(" ", -1);
            for (int i = 0; i < words.length; i++) {
                words[i] = words[i].replace('~', ' ');
            }
            examples.put(right, words);
        }
        return examples;
    }
}
