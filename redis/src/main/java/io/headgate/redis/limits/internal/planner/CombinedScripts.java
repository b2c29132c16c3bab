package io.headgate.redis.limits.internal.planner;

import io.headgate.redis.internal.script.Script;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The scripts of requests to several policies, of which clients could request as many as there are combinations of policies. Their number
 * is bounded, and none replaces another: Redis does not evict scripts, and an engine loads all of its own after each reconnect. Safe for
 * use by any number of threads.
 *
 * @param <S> the sort of a rule
 */
final class CombinedScripts<S> {

    /** The most scripts that an engine ever joins. */
    private static final int MAX_SCRIPTS = 256;

    private final Function<List<S>, Script> join;
    private final Map<List<S>, Script> scripts = new ConcurrentHashMap<>();
    private final ReentrantLock joining = new ReentrantLock();

    /** No scripts yet; that function joins them. */
    CombinedScripts(Function<List<S>, Script> join) {
        this.join = join;
    }

    /**
     * Returns the script for rules of these sorts, which is joined at its first request.
     *
     * @param rules sorted, so that one script serves all orders
     * @return empty if there are {@value #MAX_SCRIPTS} scripts, and none for these sorts
     */
    Optional<Script> of(List<S> rules) {
        Script known = scripts.get(rules);
        return known == null ? joined(rules) : Optional.of(known);
    }

    private Optional<Script> joined(List<S> rules) {
        joining.lock();
        try {
            if (!scripts.containsKey(rules) && scripts.size() < MAX_SCRIPTS) {
                scripts.put(rules, join.apply(rules));
            }
            return Optional.ofNullable(scripts.get(rules));
        } finally {
            joining.unlock();
        }
    }
}
