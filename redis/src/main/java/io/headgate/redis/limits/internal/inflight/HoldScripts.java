package io.headgate.redis.limits.internal.inflight;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.List;
import java.util.Map;

/**
 * The Lua scripts of in-flight limits.
 *
 * @param acquire acquires a hold
 * @param peek counts holds, and changes nothing
 * @param renew renews leases
 * @param release releases holds
 * @param reset releases all holds in a key
 */
record HoldScripts(Script acquire, Script peek, Script renew, Script release, Script reset) {

    private static final ScriptFiles FILES =
            ScriptFiles.in("inflight", "acquire", "peek", "renew", "release", "reset", "common");

    /** Assembles scripts that decide by Redis's clock, or, for tests, by a time that is an argument of each call. */
    static HoldScripts of(boolean timeGiven) {
        Map<String, String> parts = Map.of("clock", FILES.section(timeGiven ? "clock_from_argument" : "clock"));
        // Failures are created by the name "hold": LimitFailures then states that the hold may have been granted.
        return new HoldScripts(
                FILES.script("acquire", "hold", parts),
                FILES.script("peek", parts),
                FILES.script("renew", parts),
                FILES.script("release", parts),
                FILES.script("reset", parts));
    }

    List<Script> all() {
        return List.of(acquire, peek, renew, release, reset);
    }
}
