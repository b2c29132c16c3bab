package io.headgate.spring;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyListener;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.spring.internal.ConfigurationCheck;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Checks new versions of the policies as those of the start, and logs which one is in force. */
final class PolicyVersionListener implements PolicyListener {

    private static final Log LOG = LogFactory.getLog(PolicyVersionListener.class);

    /** The number of changes that are logged one by one. */
    private static final int MAX_CHANGES = 20;

    private final Supplier<Stream<ConfigurationCheck>> checks;

    PolicyVersionListener(Supplier<Stream<ConfigurationCheck>> checks) {
        this.checks = checks;
    }

    /** Checks the routes, methods and others that use the policies. */
    @Override
    public void check(Policies next) {
        LoadedPolicies.check(next, checks.get());
    }

    @Override
    public void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {
        LOG.info("Policies: version " + status.version() + " of " + status.source() + " is in force");
        changes.stream().limit(MAX_CHANGES).forEach(change -> LOG.info("Policy " + change));
        if (changes.size() > MAX_CHANGES) {
            LOG.info("Policies: " + (changes.size() - MAX_CHANGES) + " more changes");
        }
    }

    @Override
    public void rejected(PolicyStatus.Rejection rejection) {
        LOG.warn("Policies: " + rejection + "; the previous version stays in force");
        rejection.reason().lines().skip(1).forEach(problem -> LOG.warn("Policies: " + problem));
    }
}
