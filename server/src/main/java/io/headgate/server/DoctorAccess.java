package io.headgate.server;

import io.headgate.server.Examined.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** Each command that docs/keys-and-memory.md names, with an example of it. */
    static final Map<String, String[]> NEEDED = needed();

    private DoctorAccess() {}

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
        examples.put("setrange", new String[] {"SETRANGE", KEY, "0", "S"});
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

    static Finding look(Examined redis, String keyPrefix) {
        String key = keyPrefix + ":doctor:" + UUID.randomUUID();
        Reply whoami = redis.ask("ACL", "WHOAMI");
        String user = whoami.error().isPresent() ? "this user" : whoami.text();
        Optional<List<String>> dry = whoami.error().isPresent() ? Optional.empty() : dryRun(redis, user, key);
        List<String> missing = dry.orElseGet(() -> tried(redis, key));
        String how = dry.isPresent() ? "as ACL DRYRUN says" : "tried on a key of its own";
        if (missing.isEmpty()) {
            return Finding.ok(
                    CHECK, user + " may do all that Headgate does with keys " + keyPrefix + ":* (" + how + ")");
        }
        String found = user + " may not: " + String.join(", ", missing) + " (" + how + ")";
        String advice = "ACL SETUSER " + (whoami.error().isPresent() ? "USER" : user) + " ~" + keyPrefix + ":* +"
                + String.join(" +", missing);
        return SPARE.containsAll(missing)
                ? Finding.warning(CHECK, found, advice)
                : Finding.problem(CHECK, found, advice);
    }

    /** What the user may not do, if Redis tells. */
    private static Optional<List<String>> dryRun(Examined redis, String user, String key) {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, String[]> command : NEEDED.entrySet()) {
            List<String> arguments = new ArrayList<>(List.of("DRYRUN", user));
            arguments.addAll(List.of(on(key, command.getValue())));
            Reply reply = redis.ask("ACL", arguments.toArray(String[]::new));
            if (reply.error().isPresent() && !isUnknownTo(reply, command.getKey())) {
                return Optional.empty();
            }
            if (reply.text().contains("no permission")) {
                missing.add(command.getKey());
            }
        }
        return Optional.of(missing);
    }

    /** Only what is from 7.2 is not in each Redis that has a dry run. */
    private static boolean isUnknownTo(Reply reply, String command) {
        return command.equals("client|setinfo") && !reply.refused();
    }

    private static List<String> tried(Examined redis, String key) {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, String[]> command : NEEDED.entrySet()) {
            // Whoever is connected may have needed these, and they may change the connection.
            if (List.of("hello", "auth", "select").contains(command.getKey())) {
                continue;
            }
            String[] example = on(key, command.getValue());
            String[] arguments = java.util.Arrays.copyOfRange(example, 1, example.length);
            if (redis.ask(example[0], arguments).refused()) {
                missing.add(command.getKey());
            }
        }
        return missing;
    }

    private static String[] on(String key, String[] example) {
        String[] command = example.clone();
        for (int i = 0; i < command.length; i++) {
            command[i] = command[i].equals(KEY) ? key : command[i];
        }
        return command;
    }
}
