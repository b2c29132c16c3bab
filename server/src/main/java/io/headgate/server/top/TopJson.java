package io.headgate.server.top;

import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hot keys as JSON. */
final class TopJson {

    private static final int SHARE_DIGITS = 4;

    private TopJson() {}

    static Map<String, Object> members(List<TopKeys> all) {
        return Map.of("policies", all.stream().map(TopJson::members).toList());
    }

    private static Map<String, Object> members(TopKeys top) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", top.policy());
        members.put("from", top.from().toString());
        members.put("oneIn", top.oneIn());
        members.put("requested", members(top.requested()));
        members.put("denied", members(top.denied()));
        return members;
    }

    private static Map<String, Object> members(KeyCounts counts) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("total", counts.total());
        members.put("unlisted", counts.unlisted());
        members.put(
                "keys", counts.keys().stream().map(key -> members(counts, key)).toList());
        return members;
    }

    private static Map<String, Object> members(KeyCounts counts, HotKey key) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", key.rule());
        members.put("ids", key.ids());
        members.put("count", key.count());
        members.put("error", key.error());
        members.put("share", BigDecimal.valueOf(counts.share(key)).setScale(SHARE_DIGITS, RoundingMode.HALF_UP));
        return members;
    }
}
