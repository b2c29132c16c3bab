package io.headgate.redis.audit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A record of the audit log. Texts that are too long are cut, and end with {@code …}. An empty text means that there is none, or that it is
 * not known.
 *
 * <p>A record contains no payload, no header and no key of a job, and no token.
 *
 * @param action what was done, usually a name of an {@link AuditAction}; up to 32 characters
 * @param operator the name of the operator; up to 128 characters
 * @param role the role of the operator; up to 32 characters
 * @param via how the change came, such as {@code http} or {@code command-line}; up to 32 characters
 * @param from the address of the client, or the name of the host; up to 128 characters
 * @param peer the address of the connection if that is another one, such as a proxy's; up to 128 characters
 * @param target what was changed, such as {@code ip=203.0.113.7} or the name of a queue; up to 512 characters
 * @param outcome {@code done}, {@code not-changed}, {@code refused}, {@code failed} or {@code interrupted}; up to 32 characters
 * @param detail the outcome in a few words; up to 256 characters
 * @param before a JSON object with what is known of the target before the change; left out if it has more than 2000 characters
 * @param after the same after the change
 * @param reason why the operator made the change; up to 256 characters
 * @param count how many calls, bans or jobs this record stands for
 */
public record AuditRecord(
        String action,
        String operator,
        String role,
        String via,
        String from,
        String peer,
        String target,
        String outcome,
        String detail,
        String before,
        String after,
        String reason,
        long count) {

    private static final int MAX_NAME = 32;
    private static final int MAX_WHO = 128;
    private static final int MAX_TEXT = 256;
    private static final int MAX_TARGET = 512;
    private static final int MAX_JSON = 2000;
    private static final String COUNT = "count";

    /** Cuts texts that are too long. */
    public AuditRecord {
        action = cut(action, MAX_NAME);
        operator = cut(operator, MAX_WHO);
        role = cut(role, MAX_NAME);
        via = cut(via, MAX_NAME);
        from = cut(from, MAX_WHO);
        peer = cut(peer, MAX_WHO);
        target = cut(target, MAX_TARGET);
        outcome = cut(outcome, MAX_NAME);
        detail = cut(detail, MAX_TEXT);
        before = json(before);
        after = json(after);
        reason = cut(reason, MAX_TEXT);
        count = Math.max(1, count);
    }

    /** Returns a record without who, target and details. */
    public static AuditRecord of(AuditAction action, String via) {
        return new AuditRecord(action.toString(), "", "", via, "", "", "", "done", "", "", "", "", 1);
    }

    /** Returns a copy with another operator. */
    public AuditRecord withOperator(String operator, String role) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with another address or host, and without a peer. */
    public AuditRecord withFrom(String from) {
        return new AuditRecord(
                action, operator, role, via, from, "", target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with another peer. */
    public AuditRecord withPeer(String peer) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with another target. */
    public AuditRecord withTarget(String target) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with another outcome. */
    public AuditRecord withOutcome(String outcome, String detail) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with other states before and after the change, each a JSON object or empty. */
    public AuditRecord withStates(String before, String after) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy with another reason. */
    public AuditRecord withReason(String reason) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Returns a copy that stands for this number of calls, bans or jobs. */
    public AuditRecord withCount(long count) {
        return new AuditRecord(
                action, operator, role, via, from, peer, target, outcome, detail, before, after, reason, count);
    }

    /** Whether the action {@linkplain AuditAction#isFrequent() is frequent}. */
    public boolean isFrequent() {
        return kind() == AuditAction.Kind.EVENT;
    }

    /** What the action {@linkplain AuditAction#kind() is about}; a change for an action of a newer version. */
    AuditAction.Kind kind() {
        return AuditAction.named(action).map(AuditAction::kind).orElse(AuditAction.Kind.CHANGE);
    }

    /** Returns the fields that Redis stores: those that are not empty. */
    public Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        put(fields, "action", action);
        put(fields, "operator", operator);
        put(fields, "role", role);
        put(fields, "via", via);
        put(fields, "from", from);
        put(fields, "peer", peer);
        put(fields, "target", target);
        put(fields, "outcome", outcome);
        put(fields, "detail", detail);
        put(fields, "before", before);
        put(fields, "after", after);
        put(fields, "reason", reason);
        if (count > 1) {
            fields.put(COUNT, Long.toString(count));
        }
        return fields;
    }

    private static void put(Map<String, String> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, value);
        }
    }

    /** Restores a record from its fields. Unknown fields, as of a newer version, are ignored. */
    static AuditRecord of(Map<String, String> fields) {
        return new AuditRecord(
                fields.getOrDefault("action", ""),
                fields.getOrDefault("operator", ""),
                fields.getOrDefault("role", ""),
                fields.getOrDefault("via", ""),
                fields.getOrDefault("from", ""),
                fields.getOrDefault("peer", ""),
                fields.getOrDefault("target", ""),
                fields.getOrDefault("outcome", ""),
                fields.getOrDefault("detail", ""),
                fields.getOrDefault("before", ""),
                fields.getOrDefault("after", ""),
                fields.getOrDefault("reason", ""),
                number(fields.getOrDefault(COUNT, "1")));
    }

    private static long number(String text) {
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : 1;
    }

    /** Returns a text, or its first characters and {@code …} if it has more than this number. A pair of surrogates is not split. */
    public static String cut(String text, int max) {
        if (Objects.requireNonNull(text).length() <= max) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(max - 2)) ? max - 2 : max - 1;
        return text.substring(0, end) + "…";
    }

    private static String json(String object) {
        return object.length() > MAX_JSON ? "{\"omitted\":\"more than " + MAX_JSON + " characters\"}" : object;
    }
}
