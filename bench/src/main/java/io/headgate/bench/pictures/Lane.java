package io.headgate.bench.pictures;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;

/**
 * One limit in a picture.
 *
 * @param name what it is called there
 * @param detail a second line, of what is particular
 */
record Lane(String name, String detail, Rule rule) {

    static Lane of(String name, String detail, Limit limit) {
        return new Lane(name, detail, Rule.of("limit", limit, "user"));
    }

    /** The same limit, with attempts that count. */
    Lane countingAttempts() {
        return new Lane(name, "attempts count", rule.countingAttempts());
    }
}
