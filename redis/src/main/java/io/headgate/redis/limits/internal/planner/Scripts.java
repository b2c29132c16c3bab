package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The scripts of an engine, each joined once. A script is made for the sorts of a policy's rules, in their order: each
 * rule in line, the next one inside it, so that Redis runs no more than what the policy needs.
 *
 * <p>The section of a kind of limit has up to seven parts. The first reads and decides. The part after a line {@code -- @charge} charges,
 * {@code -- @not_charged} computes what the reply needs when nothing is charged, and {@code -- @attempt} limits the permits of an attempt.
 * {@code -- @reply} and {@code -- @reply_first} build the reply of a kind that returns more than the others, and {@code -- @batch_reply}
 * what it adds when several requests are charged together. Refunds have a section of their own, {@code …_refund}; its part after
 * {@code -- @write} writes.
 */
public final class Scripts {

    private static final ScriptFiles FILES = ScriptFiles.in(
            "limits",
            "acquire",
            "reserve",
            "refund",
            "peek",
            "reset",
            "ping",
            "probe",
            "instances",
            "hot_keys",
            "common",
            "fixed_window",
            "calendar_window",
            "bucket",
            "token_bucket",
            "leaky_bucket",
            "sliding_counter",
            "sliding_window",
            "sliding_window_refund");

    /** Lua allows 200 local variables in a function, so after this number of rules the next ones get a function of their own. */
    private static final int RULES_PER_FUNCTION = 4;

    /** The same of a combined request, where each rule has its permits in one more variable. */
    private static final int COMBINED_RULES_PER_FUNCTION = 3;

    private static final Pattern PART =
            Pattern.compile("(?m)^-- @(?=charge$|not_charged$|attempt$|reply_first$|reply$|batch_reply$|write$)");

    /** What a script must know of a rule; the rest comes with each call. */
    record Sort(LimitKind kind, boolean countsAttempts, boolean shadow) implements Comparable<Sort> {

        private static final Comparator<Sort> ORDER = Comparator.comparing(Sort::kind)
                .thenComparing(Sort::countsAttempts)
                .thenComparing(Sort::shadow);

        static Sort of(Rule rule) {
            return new Sort(LimitKind.of(rule.limit()), rule.countsAttempts(), rule.shadow());
        }

        @Override
        public int compareTo(Sort other) {
            return ORDER.compare(this, other);
        }
    }

    private record Id(String command, List<Sort> rules) {}

    private static final String ACQUIRE_BATCH = "acquire_batch";
    private static final String ACQUIRE_COMBINED = "acquire_combined";
    private static final String ACQUIRE_WITH_ID = "acquire_with_id";
    private static final String RESERVE = "reserve";
    private static final String RESERVE_WITH_ID = "reserve_with_id";
    private static final String REFUND = "refund";
    private static final String REFUND_WITH_ID = "refund_with_id";

    private static final String HOT_KEYS = "hot_keys_";

    private final Map<Id, Script> joined = new ConcurrentHashMap<>();

    private final CombinedScripts<Sort> combined =
            new CombinedScripts<>(rules -> script(new Id(ACQUIRE_COMBINED, rules)));

    private final boolean timeGiven;

    /** Those that decide by Redis's clock, or by a time that is given with each call, for tests. */
    public Scripts(boolean timeGiven) {
        this.timeGiven = timeGiven;
    }

    /** Decides for rules of these sorts. */
    Script acquire(List<Sort> rules) {
        return script("acquire", rules);
    }

    /** Decides several requests for rules of these sorts. */
    Script acquireAll(List<Sort> rules) {
        return script(ACQUIRE_BATCH, rules);
    }

    /** Decides a request with an id for rules of these sorts. */
    Script acquireOnce(List<Sort> rules) {
        return script(ACQUIRE_WITH_ID, rules);
    }

    /** Decides one request under several policies, whose rules are of these sorts, in order; empty if there are too many scripts. */
    Optional<Script> acquireCombined(List<Sort> rules) {
        return combined.of(rules);
    }

    /** Decides for one rule of this sort that is decided by separate calls from others. */
    Script reserve(Sort rule) {
        return script(RESERVE, List.of(rule));
    }

    /** The same for a request with an id. */
    Script reserveOnce(Sort rule) {
        return script(RESERVE_WITH_ID, List.of(rule));
    }

    /** Takes back what a rule of this kind charged a request with an id. */
    Script refundOnce(LimitKind rule) {
        return script(REFUND_WITH_ID, List.of(new Sort(rule, false, false)));
    }

    /** The script that peeks at rules of these sorts, of which only the kinds matter. */
    Script peek(List<Sort> rules) {
        return script(
                "peek",
                rules.stream().map(rule -> new Sort(rule.kind(), false, false)).toList());
    }

    /** Takes back what rules of these kinds were charged. */
    Script refund(List<LimitKind> rules) {
        return script(
                REFUND, rules.stream().map(kind -> new Sort(kind, false, false)).toList());
    }

    /** Forgets what a rule has counted. */
    Script reset() {
        return script("reset", List.of());
    }

    /** Answers. */
    public Script ping() {
        return script("ping", List.of());
    }

    /** Shows that decisions can be made. */
    public Script probe() {
        return script("probe", List.of());
    }

    /** Notes that an instance is there, or is no more. */
    public Script instances() {
        return script("instances", List.of());
    }

    /** Keeps what an instance knows of hot keys. */
    public Script putHotKeys() {
        return script(HOT_KEYS + "put", List.of());
    }

    /** Says of which policies there are hot keys, and the time. */
    public Script policiesOfHotKeys() {
        return script(HOT_KEYS + "policies", List.of());
    }

    /** Reads what all instances know of hot keys. */
    public Script partsOfHotKeys() {
        return script(HOT_KEYS + "parts", List.of());
    }

    private Script script(String command, List<Sort> rules) {
        return joined.computeIfAbsent(new Id(command, rules), this::script);
    }

    private Script script(Id id) {
        return Script.of(operation(id.command()), join(id.command(), id.rules()));
    }

    /** What a command does, for messages: to a caller it is the same whether others were decided with it, or it has an id. */
    private static String operation(String command) {
        return switch (command) {
            case ACQUIRE_BATCH, ACQUIRE_COMBINED, ACQUIRE_WITH_ID, RESERVE, RESERVE_WITH_ID -> "acquire";
            case REFUND_WITH_ID -> REFUND;
            default -> command.startsWith(HOT_KEYS) ? "hot keys" : command;
        };
    }

    private String join(String command, List<Sort> rules) {
        boolean batch = command.equals(ACQUIRE_BATCH);
        String nested = batch ? FILES.section("limit_batch") : "";
        for (int i = rules.size() - 1; i >= 0; i--) {
            nested = inBlock(command, i, rule(command, rules, i, nested));
        }
        String clock = timeGiven ? batch ? "clock_from_step" : "clock_from_argument" : "clock";
        return FILES.join(
                FILES.section(command).replace("RULES", Integer.toString(rules.size())),
                Map.of(
                        "rules", nested,
                        "was_charged",
                                FILES.section(
                                        rules.stream().anyMatch(Sort::countsAttempts)
                                                ? "was_charged_with_attempts"
                                                : "was_charged"),
                        "clock", FILES.section(clock),
                        "read_step", FILES.section(timeGiven ? "read_step_and_time" : "read_step")));
    }

    private static String rule(String command, List<Sort> rules, int index, String next) {
        String text = FILES.section(plain(command) + "_rule").replace("RULE", Integer.toString(index + 1));
        Map<String, String> parts = plain(command).equals(REFUND)
                ? parts(REFUND, file(rules.get(index).kind()) + "_refund")
                : decidingParts(rules.get(index));
        parts.put("next_rule", next);
        parts.put("widen_budget", widenBudget(rules.get(index)));
        if (index == 0 && !command.equals(ACQUIRE_BATCH) && !plain(command).equals(RESERVE)) {
            parts.put("reply", parts.getOrDefault("reply_first", FILES.section("reply_first")));
        }
        return FILES.join(text, parts);
    }

    /** What does to a rule what the command does, but for the id of a request. */
    private static String plain(String command) {
        return switch (command) {
            case ACQUIRE_WITH_ID -> "acquire";
            case RESERVE_WITH_ID -> RESERVE;
            case REFUND_WITH_ID -> REFUND;
            default -> command;
        };
    }

    private static String inBlock(String command, int index, String rule) {
        int rules = command.equals(ACQUIRE_COMBINED) ? COMBINED_RULES_PER_FUNCTION : RULES_PER_FUNCTION;
        return index > 0 && index % rules == 0
                ? "local function following()\n" + rule + "\nend\nfollowing()"
                : "do\n" + rule + "\nend";
    }

    private static Map<String, String> decidingParts(Sort rule) {
        Map<String, String> parts = parts("decide", file(rule.kind()));
        parts.put(
                "reserve_charge", FILES.section(rule.countsAttempts() ? "reserve_charge_attempts" : "reserve_charge"));
        if (rule.shadow()) {
            parts.put("combine", "");
            parts.put("charge_if_allowed", FILES.section("charge_in_shadow"));
        }
        if (rule.countsAttempts()) {
            parts.put("charge_if_allowed", FILES.section("charge_attempt"));
        }
        return parts;
    }

    /** Keeps a batch short: only sliding windows, whose entries may have to be rewritten wider, need that. */
    private static String widenBudget(Sort rule) {
        if (rule.kind() != LimitKind.SLIDING_WINDOW) {
            return "";
        }
        return FILES.section(file(rule.kind()) + (rule.countsAttempts() ? "_widen_budget" : "_widen_budget_admitted"));
    }

    /** The parts of a file; the first one has no name in the file. */
    private static Map<String, String> parts(String first, String file) {
        Map<String, String> parts = new HashMap<>(Map.of("not_charged", "", "batch_reply", ""));
        String[] texts = PART.split(FILES.section(file));
        parts.put(first, texts[0]);
        for (int i = 1; i < texts.length; i++) {
            int name = texts[i].indexOf('\n');
            parts.put(texts[i].substring(0, name), texts[i].substring(name + 1));
        }
        return parts;
    }

    private static String file(LimitKind kind) {
        return switch (kind) {
            case FIXED_WINDOW -> "fixed_window";
            case CALENDAR_WINDOW -> "calendar_window";
            case SLIDING_WINDOW -> "sliding_window";
            case SLIDING_COUNTER -> "sliding_counter";
            case TOKEN_BUCKET -> "token_bucket";
            case LEAKY_BUCKET -> "leaky_bucket";
        };
    }
}
