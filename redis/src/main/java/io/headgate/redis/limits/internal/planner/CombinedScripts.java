package io.headgate.redis.limits.internal.planner;

import io.headgate.redis.internal.script.Script;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The scripts of requests to several policies. Without a bound, clients could create a script for each combination of rule types. So their
 * number is bounded, and none is replaced by another, as Redis does not evict scripts, and an engine loads all of its scripts after each
 * reconnect. Safe for use by any number of threads.
 *
 * @param <S> the type of a rule
 */
final class CombinedScripts<S> {

    /** The maximum number of such scripts in an engine. */
    private static final int MAX_SCRIPTS = 256;

    private final Function<List<S>, Script> assemble;
    private final Map<List<S>, Script> scripts = new ConcurrentHashMap<>();
    private final ReentrantLock assembling = new ReentrantLock();

    /** Creates an instance without scripts, which the function assembles when they are needed. */
    CombinedScripts(Function<List<S>, Script> assemble) {
        this.assemble = assemble;
    }

    /**
     * Returns the script for rules of these types, which is assembled at its first use.
     *
     * @param rules the types in sorted order, so that one script serves all orders
     * @return empty if there are {@value #MAX_SCRIPTS} other scripts already
     */
    Optional<Script> of(List<S> rules) {
        Script known = scripts.get(rules);
        return known == null ? assembled(rules) : Optional.of(known);
    }

    private Optional<Script> assembled(List<S> rules) {
        assembling.lock();
        try {
            if (!scripts.containsKey(rules) && scripts.size() < MAX_SCRIPTS) {
                scripts.put(rules, assemble.apply(rules));
            }
            return Optional.ofNullable(scripts.get(rules));
        } finally {
            assembling.unlock();
        }
    }
}
