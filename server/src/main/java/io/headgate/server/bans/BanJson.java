package io.headgate.server.bans;

import io.headgate.http.Seconds;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;

/** A ban or an exemption in JSON. Members that do not apply are absent. */
public final class BanJson {

    private BanJson() {}

    /** Returns the members of the JSON object. */
    public static Map<String, Object> of(BanEntry entry) {
        Map<String, Object> members = new LinkedHashMap<>();
        BanTarget target = entry.target();
        members.put("attribute", target.attribute());
        members.put("value", target.value());
        target.policy().ifPresent(policy -> members.put("policy", policy));
        members.put("kind", Words.hyphenated(entry.kind()));
        members.put("since", Instants.of(entry.since()));
        entry.until().ifPresent(until -> members.put("until", Instants.of(until)));
        if (entry.until().isEmpty()) {
            members.put("permanent", true);
        }
        if (!entry.reason().isEmpty()) {
            members.put("reason", entry.reason());
        }
        if (!entry.by().isEmpty()) {
            members.put("by", entry.by());
        }
        return members;
    }

    /** Returns the members of the JSON object of a ban by a rule. */
    static Map<String, Object> of(BanTarget target, RuleBans rule, RuleDecision ban) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("attribute", target.attribute());
        members.put("value", target.value());
        members.put("policy", rule.policy());
        members.put("rule", rule.rule());
        ban.bannedFor().ifPresent(time -> members.put("bannedForSeconds", Seconds.exact(time)));
        ban.retryAfter().ifPresent(time -> members.put("retryAfterSeconds", Seconds.exact(time)));
        return members;
    }
}
