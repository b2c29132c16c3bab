package io.headgate.spring.operations;

import io.headgate.http.Seconds;
import io.headgate.limits.Decision;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.spring.internal.PropertyValues;
import java.util.LinkedHashMap;
import java.util.Map;

/** The state of keys as JSON. Members that do not apply are absent; times are seconds, exact to the microsecond. */
final class StateJson {

    private static final int MAX_HOT_KEYS = 20;

    /** Stands for an id that is not shown, as in other endpoints of Actuator. */
    private static final String HIDDEN = "******";

    private StateJson() {}

    static Map<String, Object> of(Decision decision) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", decision.policyName());
        members.put("allowed", decision.allowed());
        members.put("basis", PropertyValues.word(decision.basis()));
        decision.deniedBy().ifPresent(rule -> members.put("deniedBy", rule));
        decision.retryAfter().ifPresent(time -> members.put("retryAfterSeconds", Seconds.exact(time)));
        members.put("rules", decision.rules().stream().map(StateJson::of).toList());
        return members;
    }

    private static Map<String, Object> of(RuleDecision rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.rule().name());
        members.put("allowed", rule.allowed());
        members.put("limit", rule.limit());
        members.put("remaining", rule.remaining());
        rule.retryAfter().ifPresent(time -> members.put("retryAfterSeconds", Seconds.exact(time)));
        members.put("resetAfterSeconds", Seconds.exact(rule.resetAfter()));
        return members;
    }

    static Map<String, Object> of(String policy, InFlight inFlight) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy);
        members.put("allowed", inFlight.free() > 0);
        members.put("basis", PropertyValues.word(inFlight.basis()));
        members.put("rules", inFlight.rules().stream().map(StateJson::of).toList());
        return members;
    }

    private static Map<String, Object> of(InFlightCount count) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", count.rule().name());
        members.put("allowed", count.free() > 0);
        members.put("limit", count.rule().permits());
        members.put("held", count.held());
        count.nextExpiry().ifPresent(time -> members.put("nextExpirySeconds", Seconds.exact(time)));
        return members;
    }

    /**
     * Returns the hot keys of a policy.
     *
     * @param idsShown whether ids are shown, which may be personal data
     */
    static Map<String, Object> of(TopKeys keys, boolean idsShown) {
        TopKeys first = keys.first(MAX_HOT_KEYS);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("from", first.from().toString());
        members.put("oneIn", first.oneIn());
        members.put("requested", of(first.requested(), idsShown));
        members.put("denied", of(first.denied(), idsShown));
        return members;
    }

    private static Map<String, Object> of(KeyCounts counts, boolean idsShown) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("total", counts.total());
        members.put("keys", counts.keys().stream().map(key -> of(key, idsShown)).toList());
        return members;
    }

    private static Map<String, Object> of(HotKey key, boolean idsShown) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", key.rule());
        members.put(
                "ids",
                idsShown ? key.ids() : key.ids().stream().map(id -> HIDDEN).toList());
        members.put("count", key.count());
        members.put("error", key.error());
        return members;
    }
}
