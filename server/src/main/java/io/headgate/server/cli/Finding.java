package io.headgate.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The result of one check of a Redis or of a queue.
 *
 * @param check the name of the check, in one or two words
 * @param found the result
 * @param advice what to do; empty if nothing
 */
public record Finding(Level level, String check, String found, Optional<String> advice) {

    /** The severity, the lowest first. */
    public enum Level {
        OK,
        NOTE,
        WARNING,
        PROBLEM;

        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    public static Finding ok(String check, String found) {
        return new Finding(Level.OK, check, found, Optional.empty());
    }

    public static Finding note(String check, String found, String advice) {
        return new Finding(Level.NOTE, check, found, Optional.of(advice));
    }

    public static Finding warning(String check, String found, String advice) {
        return new Finding(Level.WARNING, check, found, Optional.of(advice));
    }

    public static Finding problem(String check, String found, String advice) {
        return new Finding(Level.PROBLEM, check, found, Optional.of(advice));
    }

    /** A note that this user may not run the command, as in many managed services. That is not an error. */
    public static Finding unavailable(String check, String command) {
        return note(check, "unknown: this user may not run " + command, "see the console of your service");
    }

    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("check", check);
        json.put("level", level.text());
        json.put("found", found);
        advice.ifPresent(text -> json.put("advice", text));
        return json;
    }
}
