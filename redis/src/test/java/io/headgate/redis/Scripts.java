package io.headgate.redis;

import io.headgate.limits.internal.LimitKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Every script that Headgate can send: each command, for every combination of kinds of limits. */
final class Scripts {

    static final List<String> COMMANDS = List.of("acquire", "peek", "reset");

    /** The files of the kinds of limits. */
    static final List<String> KINDS = Arrays.stream(LimitKind.values())
            .map(kind -> kind.name().toLowerCase(Locale.ROOT))
            .toList();

    private Scripts() {}

    static List<Script> all() {
        List<Script> scripts = new ArrayList<>();
        for (int chosen = 1; chosen < 1 << KINDS.size(); chosen++) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < KINDS.size(); i++) {
                if ((chosen & 1 << i) != 0) {
                    parts.add(KINDS.get(i));
                }
            }
            scripts.add(Script.load("acquire", parts));
            scripts.add(Script.load("peek", parts));
        }
        scripts.add(Script.load("reset"));
        return scripts;
    }
}
