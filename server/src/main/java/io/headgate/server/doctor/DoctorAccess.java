package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisInspector.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Checks which commands and keys the user may access, with ACL DRYRUN (Redis 7.0). If Redis does not support it for this user, the
 * doctor runs almost all commands on a key of its own, which has an expiry and which it removes afterwards.
 */
final class DoctorAccess {

    private static final String CHECK = "access";

    /** Commands that decisions do not need, if one of {@link #SENDS_SCRIPTS} is allowed. Connections or fallbacks may need them. */
    private static final List<String> NOT_FOR_DECISIONS =
            List.of("eval", "script|load", "ping", "hello", "auth", "select", "client|setname", "client|setinfo");

    /** Commands that send a script which Redis has not loaded. Decisions need one of them. */
    private static final List<String> SENDS_SCRIPTS = List.of("eval", "script|load");

    /**
     * Commands that are not tried. The first three change the connection, and the user may have needed them to connect. CLIENT SETINFO
     * exists since 7.2: older versions reject it for a user without all rights of CLIENT, and nothing fails without it.
     */
    private static final List<String> UNTRIED = List.of("hello", "auth", "select", "client|setinfo");

    /** Commands that are tried on a key that holds a string, where they write nothing. Otherwise, they could leave a key without expiry. */
    private static final List<String> TRIED_ON_A_STRING = List.of("lpush", "rpush");

    /** The command that is tried over another connection, because it changes the state of the connection. */
    private static final String TRIED_SEPARATELY = "subscribe";

    private final RedisInspector redis;
    private final String keyPrefix;
    private final String key;
    private final List<String> deniedCommands = new ArrayList<>();
    private final List<String> deniedOnKeys = new ArrayList<>();
    private final List<String> absent = new ArrayList<>();
    private final Set<String> lackedForParts = new LinkedHashSet<>();

    private DoctorAccess(RedisInspector redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
        this.key = keyPrefix + ":doctor:" + UUID.randomUUID();
    }

    /** The rights of the user, and a finding for each optional part whose rights are missing. */
    static List<Finding> check(RedisInspector redis, String keyPrefix) {
        return new DoctorAccess(redis, keyPrefix).check();
    }

    private List<Finding> check() {
        Reply whoami = redis.call("ACL", "WHOAMI");
        boolean known = whoami.error().isEmpty();
        String user = known ? whoami.text() : "this user";
        String how = " (reported by ACL DRYRUN)";
        if (!known || !dryRun(user)) {
            how = " (tried on a key of its own)";
            tryEach();
        }
        List<Finding> findings = new ArrayList<>(List.of(access(known, user, how)));
        for (DoctorRights.Part part : DoctorRights.PARTS) {
            List<String> lacked = lackedFor(part);
            if (!lacked.isEmpty()) {
                findings.add(Finding.note(
                        part.name(),
                        user + " may not " + part.use() + ", because it lacks: " + String.join(", ", lacked) + how,
                        "to use them: ACL SETUSER " + (known ? user : "USER") + " " + granted(lacked)));
            }
        }
        return findings;
    }

    private List<String> lackedFor(DoctorRights.Part part) {
        List<String> lacked = new ArrayList<>();
        boolean channels =
                lackedForParts.contains(channels()) && part.examples().containsKey("publish");
        if (channels) {
            lacked.add(channels());
        }
        part.examples().keySet().stream().filter(lackedForParts::contains).forEach(lacked::add);
        return lacked;
    }

    private String channels() {
        return "&" + keyPrefix + ":*";
    }

    private static String granted(List<String> rights) {
        return rights.stream()
                .map(right -> right.startsWith("&") ? right : "+" + right)
                .collect(Collectors.joining(" "));
    }

    private Finding access(boolean known, String user, String how) {
        if (deniedCommands.isEmpty() && deniedOnKeys.isEmpty() && absent.isEmpty()) {
            return Finding.ok(CHECK, user + " has all rights that limits need on keys " + keyPrefix + ":*" + how);
        }
        List<String> found = new ArrayList<>();
        addList(found, user + " may not: ", deniedCommands);
        addList(found, user + " lacks access to keys " + keyPrefix + ":* with: ", deniedOnKeys);
        addList(found, "this Redis does not have: ", absent);
        List<String> advice = new ArrayList<>();
        if (!deniedCommands.isEmpty() || !deniedOnKeys.isEmpty()) {
            String rights = deniedCommands.isEmpty() ? "" : " +" + String.join(" +", deniedCommands);
            advice.add("ACL SETUSER " + (known ? user : "USER") + " ~" + keyPrefix + ":*" + rights);
        }
        if (!absent.isEmpty()) {
            advice.add("do not rename commands (rename-command) that Headgate needs");
        }
        List<String> missing = new ArrayList<>(deniedCommands);
        missing.addAll(absent);
        boolean decisionsWork =
                deniedOnKeys.isEmpty() && NOT_FOR_DECISIONS.containsAll(missing) && !missing.containsAll(SENDS_SCRIPTS);
        return decisionsWork
                ? Finding.warning(CHECK, String.join("; ", found) + how, String.join("; ", advice))
                : Finding.problem(CHECK, String.join("; ", found) + how, String.join("; ", advice));
    }

    private static void addList(List<String> found, String what, List<String> which) {
        if (!which.isEmpty()) {
            found.add(what + String.join(", ", which));
        }
    }

    /** Runs ACL DRYRUN for each command; returns whether Redis supports it for this user. */
    private boolean dryRun(String user) {
        for (Map.Entry<String, String[]> command : all().entrySet()) {
            List<String> arguments = new ArrayList<>(List.of("DRYRUN", user));
            arguments.addAll(List.of(onKey(command.getValue())));
            Reply reply = redis.call("ACL", arguments.toArray(String[]::new));
            if (reply.error().isPresent() && !isUnknownTo(reply, command.getKey())) {
                deniedCommands.clear();
                deniedOnKeys.clear();
                lackedForParts.clear();
                return false;
            }
            record(command.getKey(), reply.text());
        }
        return true;
    }

    private static Map<String, String[]> all() {
        Map<String, String[]> all = new LinkedHashMap<>(DoctorRights.NEEDED);
        DoctorRights.PARTS.forEach(part -> part.examples().forEach(all::putIfAbsent));
        return all;
    }

    /** Returns whether this Redis does not have the command. One with ACL DRYRUN (7.0) lacks only CLIENT SETINFO (7.2). */
    private static boolean isUnknownTo(Reply reply, String command) {
        return command.equals("client|setinfo") && !reply.refused();
    }

    private void tryEach() {
        Map<String, String[]> examples = all();
        examples.keySet().stream()
                .filter(command -> !UNTRIED.contains(command) && !TRIED_ON_A_STRING.contains(command))
                .forEach(command -> tryOne(command, examples));
        if (redis.call("SET", key, "scratch", "PX", "60000").error().isEmpty()) {
            TRIED_ON_A_STRING.forEach(command -> tryOne(command, examples));
            redis.call("UNLINK", key);
        }
    }

    private void tryOne(String command, Map<String, String[]> examples) {
        String[] example = onKey(examples.getOrDefault(command, new String[0]));
        String[] arguments = Arrays.copyOfRange(example, 1, example.length);
        Reply reply = command.equals(TRIED_SEPARATELY)
                ? redis.callSeparately(example[0], arguments)
                : redis.call(example[0], arguments);
        record(command, reply.refused() ? reply.error().orElse("") : "");
        if (reply.error().filter(text -> text.startsWith("ERR unknown command")).isPresent()) {
            (isNeeded(command) ? absent : lackedForParts).add(command);
        }
    }

    /** Records a denial: the reply contains "access" if Redis denies the key or the channel. */
    private void record(String command, String reply) {
        String text = reply.toLowerCase(Locale.ROOT);
        if (text.contains("no permissions to access") || text.contains("can't access")) {
            if (text.contains("channel")) {
                lackedForParts.add(channels());
            } else if (isNeeded(command)) {
                deniedOnKeys.add(command); // the keys of the optional parts have the same prefix
            }
        } else if (text.contains("no permission") || text.startsWith("noperm")) {
            (isNeeded(command) ? deniedCommands : lackedForParts).add(command);
        }
    }

    private static boolean isNeeded(String command) {
        return DoctorRights.NEEDED.containsKey(command);
    }

    private String[] onKey(String[] example) {
        String[] command = example.clone();
        for (int i = 0; i < command.length; i++) {
            command[i] = command[i].equals(DoctorRights.KEY) ? key : command[i];
        }
        return command;
    }
}
