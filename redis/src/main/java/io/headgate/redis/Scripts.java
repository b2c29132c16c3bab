package io.headgate.redis;

import io.headgate.limits.internal.LimitKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The scripts of an engine, each joined once. A script is made for the kinds of a policy's rules, in their order: each
 * rule in line, the next one inside it, so that Redis runs no more than what the policy needs.
 *
 * <p>The file of a kind of limit has up to three parts: what looks; after a line {@code -- @charge}, what charges; and
 * after a line {@code -- @denied}, what a denial still has to write.
 */
final class Scripts {

    /** Lua has room for 200 local variables in a function, so after so many rules the next ones get one of their own. */
    private static final int RULES_PER_FUNCTION = 5;

    private static final Pattern PART = Pattern.compile("(?m)^-- @(?=charge$|denied$)");

    private record Id(String command, List<LimitKind> rules) {}

    private final Map<Id, Script> joined = new ConcurrentHashMap<>();

    /** Decides for rules of these kinds. */
    Script acquire(List<LimitKind> rules) {
        return script("acquire", rules);
    }

    /** Looks at rules of these kinds. */
    Script peek(List<LimitKind> rules) {
        return script("peek", rules);
    }

    /** Forgets what a rule has counted. */
    Script reset() {
        return script("reset", List.of());
    }

    /** Answers. */
    Script ping() {
        return script("ping", List.of());
    }

    private Script script(String command, List<LimitKind> rules) {
        return joined.computeIfAbsent(
                new Id(command, rules), id -> Script.of(id.command(), join(id.command(), id.rules())));
    }

    private static String join(String command, List<LimitKind> rules) {
        String nested = "";
        for (int i = rules.size() - 1; i >= 0; i--) {
            nested = inBlock(i, rule(command, rules, i, nested));
        }
        return ScriptFile.join(ScriptFile.read(command), Map.of("rules", nested));
    }

    private static String rule(String command, List<LimitKind> rules, int index, String next) {
        String text = ScriptFile.read(command + "_rule").replace("RULE", Integer.toString(index + 1));
        Map<String, String> parts = new HashMap<>(parts(rules.get(index)));
        parts.put("next", next);
        return ScriptFile.join(text, parts);
    }

    private static String inBlock(int index, String rule) {
        return index > 0 && index % RULES_PER_FUNCTION == 0
                ? "local function following()\n" + rule + "\nend\nfollowing()"
                : "do\n" + rule + "\nend";
    }

    private static Map<String, String> parts(LimitKind kind) {
        Map<String, String> parts = new HashMap<>(Map.of("charge", "", "denied", ""));
        String[] texts = PART.split(ScriptFile.read(file(kind)));
        parts.put("look", texts[0]);
        for (int i = 1; i < texts.length; i++) {
            int name = texts[i].indexOf('\n');
            parts.put(texts[i].substring(0, name), texts[i].substring(name + 1));
        }
        return parts;
    }

    private static String file(LimitKind kind) {
        return switch (kind) {
            case FIXED_WINDOW -> "fixed_window";
            case SLIDING_WINDOW -> "sliding_window";
            case SLIDING_COUNTER -> "sliding_counter";
            case TOKEN_BUCKET -> "token_bucket";
        };
    }
}
