package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The scripts of an engine, each assembled once. The script of a policy depends on the {@linkplain RuleType types} of its rules, in their
 * order: it has a section for each rule, with the section of the next rule nested in it. So it has only the code that the policy needs.
 *
 * <p>The section of a kind of limit has up to seven parts. The first reads and decides. The part after a line {@code -- @charge} charges,
 * {@code -- @not_charged} computes what the reply needs when nothing is charged, and {@code -- @attempt} limits the permits of an attempt.
 * {@code -- @reply} and {@code -- @reply_first} build the reply of a kind that returns more than the others, and {@code -- @batch_reply}
 * what it adds when a step has several requests. Refunds have a section of their own, {@code …_refund}; its part after
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
            "sliding_window_refund",
            "ban_rules");

    /** Lua allows 200 local variables in a function, so after this number of rules the next ones get a function of their own. */
    private static final int RULES_PER_FUNCTION = 4;

    /** The number of rules per function where rules need more variables: for the permits of each in a combined request, or for bans. */
    private static final int LARGER_RULES_PER_FUNCTION = 3;

    private static final Pattern PART =
            Pattern.compile("(?m)^-- @(?=charge$|not_charged$|attempt$|reply_first$|reply$|batch_reply$|write$)");

    private record Id(String command, List<RuleType> rules) {}

    private static final String ACQUIRE_BATCH = "acquire_batch";
    private static final String ACQUIRE_COMBINED = "acquire_combined";
    private static final String ACQUIRE_WITH_ID = "acquire_with_id";
    private static final String RESERVE = "reserve";
    private static final String RESERVE_WITH_ID = "reserve_with_id";
    private static final String REFUND = "refund";
    private static final String REFUND_WITH_ID = "refund_with_id";

    private static final String HOT_KEYS = "hot_keys_";

    private final Map<Id, Script> assembled = new ConcurrentHashMap<>();

    private final CombinedScripts<RuleType> combined =
            new CombinedScripts<>(rules -> script(new Id(ACQUIRE_COMBINED, rules)));

    private final boolean timeGiven;

    /** Creates scripts that decide by Redis's clock or, if the time is given, by a time that is an argument of each call. */
    public Scripts(boolean timeGiven) {
        this.timeGiven = timeGiven;
    }

    /** The script that decides a request under rules of these types. */
    Script acquire(List<RuleType> rules) {
        return script("acquire", rules);
    }

    /** The script that decides several requests under rules of these types. */
    Script acquireBatch(List<RuleType> rules) {
        return script(ACQUIRE_BATCH, rules);
    }

    /** The script that decides a request with an id under rules of these types. */
    Script acquireWithId(List<RuleType> rules) {
        return script(ACQUIRE_WITH_ID, rules);
    }

    /** The script that decides a request to several policies with rules of these types, sorted; empty if there are too many scripts. */
    Optional<Script> acquireCombined(List<RuleType> rules) {
        return combined.of(rules);
    }

    /** The script that decides a request under only one of its rules, of this type. */
    Script reserve(RuleType rule) {
        return script(RESERVE, List.of(rule));
    }

    /** The script that decides a request with an id under only one of its rules, of this type. */
    Script reserveWithId(RuleType rule) {
        return script(RESERVE_WITH_ID, List.of(rule));
    }

    /** The script that refunds the charge of a request with an id under one rule of this kind. */
    Script refundWithId(LimitKind rule) {
        return script(REFUND_WITH_ID, List.of(RuleType.of(rule)));
    }

    /**
     * The script that decides a request under rules of these types and charges nothing; it depends only on their kinds, and on whether
     * they ban.
     */
    Script peek(List<RuleType> rules) {
        return script(
                "peek",
                rules.stream()
                        .map(rule -> new RuleType(rule.kind(), false, false, rule.bans()))
                        .toList());
    }

    /** The script that refunds charges to rules of these kinds. */
    Script refund(List<LimitKind> rules) {
        return script(REFUND, rules.stream().map(RuleType::of).toList());
    }

    /** The script that deletes the count of a rule. */
    Script reset() {
        return script("reset", List.of());
    }

    /** The script that only replies. */
    public Script ping() {
        return script("ping", List.of());
    }

    /** The script that writes a key, to check whether Redis accepts writes. */
    public Script probe() {
        return script("probe", List.of());
    }

    /** The script that registers or removes an instance, and counts the instances. */
    public Script instances() {
        return script("instances", List.of());
    }

    /** The script that stores the hot keys that an instance reports. */
    public Script putHotKeys() {
        return script(HOT_KEYS + "put", List.of());
    }

    /** The script that returns the time and the policies with hot keys. */
    public Script policiesOfHotKeys() {
        return script(HOT_KEYS + "policies", List.of());
    }

    /** The script that returns the hot keys that all instances have reported. */
    public Script partsOfHotKeys() {
        return script(HOT_KEYS + "parts", List.of());
    }

    private Script script(String command, List<RuleType> rules) {
        return assembled.computeIfAbsent(new Id(command, rules), this::script);
    }

    private Script script(Id id) {
        return Script.of(operation(id.command()), join(id.command(), id.rules()));
    }

    /** The operation of a command for messages. Commands for batches, several policies, single rules and ids have the same operation. */
    private static String operation(String command) {
        return switch (command) {
            case ACQUIRE_BATCH, ACQUIRE_COMBINED, ACQUIRE_WITH_ID, RESERVE, RESERVE_WITH_ID -> "acquire";
            case REFUND_WITH_ID -> REFUND;
            default -> command.startsWith(HOT_KEYS) ? "hot keys" : command;
        };
    }

    private String join(String command, List<RuleType> rules) {
        boolean batch = command.equals(ACQUIRE_BATCH);
        String nested = batch ? FILES.section("limit_batch") : "";
        for (int i = rules.size() - 1; i >= 0; i--) {
            nested = inBlock(rulesPerFunction(command, rules), i, rule(command, rules, i, nested));
        }
        String clock = timeGiven ? batch ? "clock_from_step" : "clock_from_argument" : "clock";
        return FILES.join(
                FILES.section(command).replace("RULES", Integer.toString(rules.size())),
                Map.of(
                        "rules", nested,
                        "was_charged",
                                FILES.section(
                                        rules.stream().anyMatch(RuleType::countsAttempts)
                                                ? "was_charged_with_attempts"
                                                : "was_charged"),
                        "clock", FILES.section(clock),
                        "read_step", FILES.section(timeGiven ? "read_step_and_time" : "read_step")));
    }

    private static String rule(String command, List<RuleType> rules, int index, String next) {
        String text = FILES.section(plain(command) + "_rule").replace("RULE", Integer.toString(index + 1));
        Map<String, String> parts = plain(command).equals(REFUND)
                ? parts(REFUND, file(rules.get(index).kind()) + "_refund")
                : decidingParts(command, rules.get(index));
        parts.put("next_rule", next);
        parts.put("widen_budget", widenBudget(rules.get(index)));
        if (index == 0 && !command.equals(ACQUIRE_BATCH) && !plain(command).equals(RESERVE)) {
            parts.put("reply", parts.getOrDefault("reply_first", FILES.section("reply_first")));
        }
        return FILES.join(text, parts);
    }

    /** The command for requests without a request id, which has the same sections for each rule. */
    private static String plain(String command) {
        return switch (command) {
            case ACQUIRE_WITH_ID -> "acquire";
            case RESERVE_WITH_ID -> RESERVE;
            case REFUND_WITH_ID -> REFUND;
            default -> command;
        };
    }

    private static int rulesPerFunction(String command, List<RuleType> rules) {
        boolean larger = command.equals(ACQUIRE_COMBINED) || rules.stream().anyMatch(RuleType::bans);
        return larger ? LARGER_RULES_PER_FUNCTION : RULES_PER_FUNCTION;
    }

    private static String inBlock(int rulesPerFunction, int index, String rule) {
        return index > 0 && index % rulesPerFunction == 0
                ? "local function following()\n" + rule + "\nend\nfollowing()"
                : "do\n" + rule + "\nend";
    }

    private static Map<String, String> decidingParts(String command, RuleType rule) {
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
        String skipped = rule.bans() ? FILES.section("skip_bans") : "";
        boolean hasDelay =
                rule.kind() == LimitKind.LEAKY_BUCKET || plain(command).equals(RESERVE);
        String decide = parts.get("decide") + FILES.section("check_ban") + skipped;
        parts.put("decide", (hasDelay ? "local ban, delay_micros\n" : "local ban\n") + decide);
        parts.put("decide_again", decide);
        parts.put("keep_ban", FILES.section("keep_ban"));
        parts.put("ban_result", FILES.section("ban_result"));
        parts.put("count_denial", rule.bans() ? countDenial(command, rule.kind()) : FILES.section("ban_result"));
        return parts;
    }

    private static String countDenial(String command, LimitKind kind) {
        // In the second pass of a batch, the rules decide one of the requests for which the first pass had no room.
        String denied = command.equals(ACQUIRE_BATCH)
                ? "admitted_reply == '' and requests or step_requests - admitted_count"
                : "1";
        return FILES.section("count_denial")
                .replace("RULE_BYTES", Integer.toString(RuleArgument.limitBytes(kind)))
                .replace("RULE_DENIED", denied);
    }

    /** The section that keeps a batch short. Only sliding windows need it, whose entries may have to be rewritten wider. */
    private static String widenBudget(RuleType rule) {
        if (rule.kind() != LimitKind.SLIDING_WINDOW) {
            return "";
        }
        return FILES.section(file(rule.kind()) + (rule.countsAttempts() ? "_widen_budget" : "_widen_budget_admitted"));
    }

    /** The parts of a section by name; the first part, which has no name in the file, receives the given one. */
    private static Map<String, String> parts(String first, String file) {
        Map<String, String> parts = new HashMap<>(Map.of("not_charged", "", "batch_reply", "", "keep_ban", ""));
        String[] texts = PART.split(FILES.section(file));
        parts.put(first, texts[0]);
        for (int i = 1; i < texts.length; i++) {
            int name = texts[i].indexOf('\n');
            parts.put(texts[i].substring(0, name), texts[i].substring(name + 1));
        }
        return parts;
    }

    /** The name of the file of a kind, and of its first section. */
    private static String file(LimitKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
