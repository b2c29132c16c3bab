package io.headgate.redis.inflight;

import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptFiles;
import java.util.List;
import java.util.Map;

/**
 * The scripts of in-flight limits, each joined once.
 *
 * @param acquire takes permits
 * @param peek looks
 * @param renew renews leases
 * @param release gives back
 * @param reset gives all back under a rule
 */
record HoldScripts(Script acquire, Script peek, Script renew, Script release, Script reset) {

    private static final ScriptFiles FILES = ScriptFiles.beside(HoldScripts.class);

    /** Those that decide by Redis's clock, or by a time that is given with each call, for tests. */
    static HoldScripts of(boolean timeGiven) {
        Map<String, String> parts = Map.of("clock", FILES.read(timeGiven ? "clock_given" : "clock"));
        // Under this name a failure says that a place may be taken.
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
