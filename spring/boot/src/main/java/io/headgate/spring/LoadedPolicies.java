package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicySource;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.ActivePolicies;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.Problems;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The policies that were loaded at the start, unless the application has its own registry. {@link ActivePolicies} has those that apply now.
 *
 * @param policies all policies
 * @param fixed those that do not change: of properties, of a file on the class path, and of beans
 * @param watched where the others are; empty if there are none
 */
record LoadedPolicies(Policies policies, Policies fixed, Optional<Watched> watched) implements AutoCloseable {

    private static final Log LOG = LogFactory.getLog(LoadedPolicies.class);

    /**
     * A source whose policies may change.
     *
     * @param first the version of the start
     * @param closing closes what the source used, after the source
     */
    record Watched(PolicySource source, PolicyDocument first, Runnable closing) {}

    /**
     * Checks all that uses the policies, without an engine on Redis: otherwise, a wrong route would fail the start only after the
     * connection, whose threads are still alive when a web server stops and warns about them.
     *
     * <p>A bean that a check needs may itself need the engine, which does not exist yet. Then nothing is checked here: the beans check
     * their own configuration when they are created.
     *
     * @throws ConfigException if there are problems; lists the first 20 of all checks
     */
    static void check(ObjectProvider<LoadedPolicies> policies, ObjectProvider<ConfigurationCheck> checks) {
        try {
            policies.ifAvailable(found -> check(found.policies(), checks.orderedStream()));
        } catch (BeansException e) {
            if (e.contains(ConfigException.class)) {
                throw e;
            }
            LOG.debug("The configuration is not checked before the engine is created", e);
        }
    }

    /**
     * Checks all that uses these policies.
     *
     * @throws ConfigException if there are problems
     */
    static void check(Policies policies, Stream<ConfigurationCheck> checks) {
        Problems problems = new Problems();
        try (LimitEngine memory = InMemoryLimitEngine.create()) {
            PolicyRegistry registry = new PolicyRegistry(memory, policies);
            checks.forEach(check -> problems.collect(() -> check.check(registry)));
        }
        problems.failIfAny();
    }

    /** Closes the source, which has no effect if a reloader has closed it. */
    @Override
    public void close() {
        watched.ifPresent(source -> {
            source.source().close();
            source.closing().run();
        });
    }
}
