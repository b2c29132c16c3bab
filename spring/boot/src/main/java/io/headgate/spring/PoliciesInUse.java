package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.Problems;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;

/** The policies that Headgate found, unless the application has its own registry. */
record PoliciesInUse(Policies policies) {

    private static final Log LOG = LogFactory.getLog(PoliciesInUse.class);

    /**
     * Checks all that uses the policies, without an engine on Redis: otherwise, a wrong route would fail the start only after the
     * connection, whose threads are still alive when a web server stops and warns about them.
     *
     * <p>A bean that a check needs may itself need the engine, which does not exist yet. Then nothing is checked here: the beans check
     * their own configuration when they are created.
     *
     * @throws ConfigException if there are problems; lists the first 20 of all checks
     */
    static void check(ObjectProvider<PoliciesInUse> policies, ObjectProvider<ConfigurationCheck> checks) {
        Problems problems = new Problems();
        try (LimitEngine memory = InMemoryLimitEngine.create()) {
            policies.ifAvailable(found -> {
                PolicyRegistry registry = new PolicyRegistry(memory, found.policies());
                checks.orderedStream().forEach(check -> problems.collect(() -> check.check(registry)));
            });
        } catch (BeansException e) {
            if (e.contains(ConfigException.class)) {
                throw e;
            }
            LOG.debug("The configuration is not checked before the engine is created", e);
            return;
        }
        problems.failIfAny();
    }
}
