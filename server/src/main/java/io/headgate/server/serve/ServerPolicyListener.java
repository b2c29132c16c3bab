package io.headgate.server.serve;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyListener;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.server.limits.DelayWarning;
import io.headgate.server.limits.ProxyRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks new versions of the policies as those of the start, and logs which one is in force. */
final class ServerPolicyListener implements PolicyListener {

    private static final Logger log = LoggerFactory.getLogger(ServerPolicyListener.class);

    /** The number of changes that are logged one by one. */
    private static final int MAX_CHANGES = 20;

    @Override
    public void check(Policies next) {
        ProxyRequest.requireNoReservedNames(next.list());
    }

    @Override
    public void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {
        log.info("policies: version {} of {} is in force", status.version(), status.source());
        changes.stream().limit(MAX_CHANGES).forEach(change -> log.info("policy {}", change));
        if (changes.size() > MAX_CHANGES) {
            log.info("policies: {} more changes", changes.size() - MAX_CHANGES);
        }
        if (!changes.isEmpty()) {
            warn(policies);
        }
    }

    @Override
    public void rejected(PolicyStatus.Rejection rejection) {
        log.warn("policies: {}; the previous version stays in force", rejection);
        rejection.reason().lines().skip(1).forEach(problem -> log.warn("policies: {}", problem));
    }

    /** Warns of policies that delay requests for longer than proxies wait. */
    static void warn(Policies policies) {
        policies.forEach(policy -> DelayWarning.of(policy).forEach(log::warn));
    }
}
