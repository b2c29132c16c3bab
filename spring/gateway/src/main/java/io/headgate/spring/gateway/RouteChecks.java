package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import java.util.ArrayList;
import java.util.List;

/** Collects the problems of the filters in properties, so that they fail the start. Not safe for use by several threads. */
final class RouteChecks {

    private final List<String> problems = new ArrayList<>();

    /** Runs a check that throws a {@link ConfigException} if there is a problem. */
    void check(Runnable check) {
        try {
            check.run();
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
    }

    /** Throws an exception with all problems, if there is one. */
    void requireNone() {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems, String.join("\n", problems));
        }
    }
}
