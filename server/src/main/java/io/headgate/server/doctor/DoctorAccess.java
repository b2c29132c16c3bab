package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.Examined;
import io.headgate.server.redis.Examined.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Checks whether the user may do what Headgate does: Redis is asked whether it would let it (ACL DRYRUN, from 7.0), or, where
 * it doesn't say, each command is tried on a key of its own, which is removed and would expire by itself.
 */
final class DoctorAccess {

    private static final String CHECK = "access";
    private static final String KEY = "{key}";
    private static final String SHA1 = "0000000000000000000000000000000000000000";

    /** Without one of these a connection or a fallback fails, but not each decision. */
    private static final List<String> SPARE =
            List.of("eval", "script|load", "ping", "hello", "auth", "select", "client|setname", "client|setinfo");

    /**
     * Whoever is connected may have needed the first three, and they may change the connection, as the last does. CLIENT SETINFO
     * is from 7.2, and older ones refuse it to whoever has no right to all of CLIENT; nothing fails without it. HSET would
     * leave a key for ever where PEXPIRE is not allowed.
     */
    private static final List<String> UNTRIED =
            List.of("hello", "auth", "select", "client|setinfo", "hset", "subscribe");

    /** Each command that docs/keys-and-memory.md names, with an example of it. */
    static final Map<String, String[]> NEEDED = needed();

    /** Each that it names for hot keys, without which only these are not told. */
    static final Map<String, String[]> FOR_HOT_KEYS = forHotKeys();

    /** Each that it names for in-flight limits, without which only these are not to be had. */
    static final Map<String, String[]> FOR_IN_FLIGHT = forInFlight();

    private final Examined redis;
    private final String keyPrefix;
    private final String key;
    private final List<String> commands = new ArrayList<>();
    private final List<String> onKeys = new ArrayList<>();
    private final List<String> absent = new ArrayList<>();
    private final Set<String> lackedExtras = new LinkedHashSet<>();
    private boolean lacksChannels;

    private DoctorAccess(Examined redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
        this.key = keyPrefix + ":doctor:" + UUID.randomUUID();
    }

    private static Map<String, String[]> needed() {
        Map<String, String[]> examples = new LinkedHashMap<>();
        examples.put("evalsha", new String[] {"EVALSHA", SHA1, "1", KEY});
        examples.put("eval", new String[] {"EVAL", "return 1", "1", KEY});
        examples.put("script|load", new String[] {"SCRIPT", "LOAD", "return 1"});
        examples.put("time", new String[] {"TIME"});
        examples.put("set", new String[] {"SET", KEY, "scratch", "PX", "60000"});
        examples.put("get", new String[] {"GET", KEY});
        examples.put("getrange", new String[] {"GETRANGE", KEY, "0", "1"});
        examples.put("strlen", new String[] {"STRLEN", KEY});
        // Nothing is written, lest there be a key that never expires where SET is not allowed.
        examples.put("setrange", new String[] {"SETRANGE", KEY, "0", ""});
        examples.put("pexpire", new String[] {"PEXPIRE", KEY, "60000"});
        examples.put("unlink", new String[] {"UNLINK", KEY});
        examples.put("ping", new String[] {"PING"});
        examples.put("hello", new String[] {"HELLO"});
        examples.put("auth", new String[] {"AUTH", "password"});
        examples.put("select", new String[] {"SELECT", "0"});
        examples.put("client|setname", new String[] {"CLIENT", "SETNAME", "headgate-doctor"});
        examples.put("client|setinfo", new String[] {"CLIENT", "SETINFO", "lib-name", "headgate"});
        return examples;
    }

    private static Map<String, String[]> forHotKeys() {
        Map<String, String[]> examples = new LinkedHashMap<>();
        examples.put("hset", new String[] {"HSET", KEY, "instance", "part"});
        examples.put("hlen", new String[] {"HLEN", KEY});
        examples.put("hexists", new String[] {"HEXISTS", KEY, "instance"});
        examples.put("hvals", new String[] {"HVALS", KEY});
        // Writes nothing, as there is none to change.
        examples.put("zadd", new String[] {"ZADD", KEY, "XX", "1", "policy"});
        examples.put("zcard", new String[] {"ZCARD", KEY});
        examples.put("zscore", new String[] {"ZSCORE", KEY, "policy"});
        examples.put("zrangebyscore", new String[] {"ZRANGEBYSCORE", KEY, "1", "1"});
        examples.put("zremrangebyscore", new String[] {"ZREMRANGEBYSCORE", KEY, "1", "1"});
        return examples;
    }

    private static Map<String, String[]> forInFlight() {
        Map<String, String[]> examples = new LinkedHashMap<>();
        // Writes nothing, as there is none to change.
        examples.put("zadd", new String[] {"ZADD", KEY, "XX", "1", "hold"});
        examples.put("zcard", new String[] {"ZCARD", KEY});
        examples.put("zcount", new String[] {"ZCOUNT", KEY, "1", "1"});
        examples.put("zscore", new String[] {"ZSCORE", KEY, "hold"});
        examples.put("zrangebyscore", new String[] {"ZRANGEBYSCORE", KEY, "1", "1"});
        examples.put("zrem", new String[] {"ZREM", KEY, "hold"});
        examples.put("zremrangebyrank", new String[] {"ZREMRANGEBYRANK", KEY, "1", "0"});
        examples.put("pttl", new String[] {"PTTL", KEY});
        examples.put("publish", new String[] {"PUBLISH", KEY, "doctor"});
        examples.put("subscribe", new String[] {"SUBSCRIBE", KEY});
        return examples;
    }

    /** What the user may do; and what it may not do with hot keys and in-flight limits, where that is so. */
    static List<Finding> look(Examined redis, String keyPrefix) {
        return new DoctorAccess(redis, keyPrefix).look();
    }

    private List<Finding> look() {
        Reply whoami = redis.ask("ACL", "WHOAMI");
        boolean known = whoami.error().isEmpty();
        String user = known ? whoami.text() : "this user";
        String how = " (as ACL DRYRUN says)";
        if (!known || !dryRun(user)) {
            how = " (tried on a key of its own)";
            tryEach();
        }
        Finding access = access(known, user, how);
        String setUser = "if they are wanted: ACL SETUSER " + (known ? user : "USER");
        List<Finding> found = new ArrayList<>(List.of(access));
        List<String> forHotKeys = lacked(FOR_HOT_KEYS);
        if (!forHotKeys.isEmpty()) {
            found.add(Finding.note(
                    "hot keys",
                    user + " may not count or tell them, for want of: " + String.join(", ", forHotKeys) + how,
                    setUser + " +" + String.join(" +", FOR_HOT_KEYS.keySet())));
        }
        List<String> forInFlight = lacked(FOR_IN_FLIGHT);
        if (lacksChannels) {
            forInFlight.add("channels " + keyPrefix + ":*");
        }
        if (!forInFlight.isEmpty()) {
            found.add(Finding.note(
                    "in flight",
                    user + " may not do all that in-flight limits do, for want of: " + String.join(", ", forInFlight)
                            + how,
                    setUser + " &" + keyPrefix + ":* +" + String.join(" +", FOR_IN_FLIGHT.keySet())));
        }
        return found;
    }

    private List<String> lacked(Map<String, String[]> extras) {
        List<String> lacked = new ArrayList<>(extras.keySet());
        lacked.retainAll(lackedExtras);
        return lacked;
    }

    private Finding access(boolean known, String user, String how) {
        if (commands.isEmpty() && onKeys.isEmpty() && absent.isEmpty()) {
            return Finding.ok(CHECK, user + " may do all that Headgate does with keys " + keyPrefix + ":*" + how);
        }
        List<String> found = new ArrayList<>();
        tell(found, user + " may not: ", commands);
        tell(found, user + " may not use keys " + keyPrefix + ":* with: ", onKeys);
        tell(found, "this Redis doesn't know: ", absent);
        List<String> advice = new ArrayList<>();
        if (!commands.isEmpty() || !onKeys.isEmpty()) {
            String rights = commands.isEmpty() ? "" : " +" + String.join(" +", commands);
            advice.add("ACL SETUSER " + (known ? user : "USER") + " ~" + keyPrefix + ":*" + rights);
        }
        if (!absent.isEmpty()) {
            advice.add("don't rename commands (rename-command) that Headgate needs");
        }
        boolean spare = onKeys.isEmpty() && SPARE.containsAll(commands) && SPARE.containsAll(absent);
        return spare
                ? Finding.warning(CHECK, String.join("; ", found) + how, String.join("; ", advice))
                : Finding.problem(CHECK, String.join("; ", found) + how, String.join("; ", advice));
    }

    private static void tell(List<String> found, String what, List<String> which) {
        if (!which.isEmpty()) {
            found.add(what + String.join(", ", which));
        }
    }

    /** Asks what Redis would refuse to the user, and says whether Redis told. */
    private boolean dryRun(String user) {
        for (Map.Entry<String, String[]> command : all().entrySet()) {
            List<String> arguments = new ArrayList<>(List.of("DRYRUN", user));
            arguments.addAll(List.of(onKey(command.getValue())));
            Reply reply = redis.ask("ACL", arguments.toArray(String[]::new));
            if (reply.error().isPresent() && !isUnknownTo(reply, command.getKey())) {
                commands.clear();
                onKeys.clear();
                lackedExtras.clear();
                lacksChannels = false;
                return false;
            }
            note(command.getKey(), reply.text());
        }
        return true;
    }

    private static Map<String, String[]> all() {
        Map<String, String[]> all = new LinkedHashMap<>(NEEDED);
        all.putAll(FOR_HOT_KEYS);
        all.putAll(FOR_IN_FLIGHT);
        return all;
    }

    /** Only what is from 7.2 is not in each Redis that has a dry run. */
    private static boolean isUnknownTo(Reply reply, String command) {
        return command.equals("client|setinfo") && !reply.refused();
    }

    private void tryEach() {
        for (Map.Entry<String, String[]> command : all().entrySet()) {
            if (UNTRIED.contains(command.getKey())) {
                continue;
            }
            String[] example = onKey(command.getValue());
            Reply reply = redis.ask(example[0], Arrays.copyOfRange(example, 1, example.length));
            note(command.getKey(), reply.refused() ? reply.error().orElse("") : "");
            if (reply.error()
                    .filter(text -> text.startsWith("ERR unknown command"))
                    .isPresent()) {
                (isExtra(command.getKey()) ? lackedExtras : absent).add(command.getKey());
            }
        }
    }

    /** What is refused for the key says "access"; for the command: "run". */
    private void note(String command, String said) {
        String text = said.toLowerCase(Locale.ROOT);
        if (text.contains("no permissions to access") || text.contains("can't access")) {
            // Extras use keys of the same prefix, but also channels.
            lacksChannels |= text.contains("channel");
            if (!isExtra(command)) {
                onKeys.add(command);
            }
        } else if (text.contains("no permission") || text.startsWith("noperm")) {
            (isExtra(command) ? lackedExtras : commands).add(command);
        }
    }

    private static boolean isExtra(String command) {
        return FOR_HOT_KEYS.containsKey(command) || FOR_IN_FLIGHT.containsKey(command);
    }

    private String[] onKey(String[] example) {
        String[] command = example.clone();
        for (int i = 0; i < command.length; i++) {
            command[i] = command[i].equals(KEY) ? key : command[i];
        }
        return command;
    }
}
