package io.headgate.config.consul;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.stores.InstanceReports;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoreWatch;
import io.headgate.config.internal.stores.VersionStore;
import io.headgate.config.internal.stores.VersionedPolicies;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Policies that servers and applications share through the key-value store of Consul, under keys that start with {@code
 * hg/config/policies/}.
 *
 * <pre>{@code
 * try (ConsulPolicyStore store = ConsulPolicyStore.connect(ConsulSettings.of("http://127.0.0.1:8500"))) {
 *     PolicyReloader policies = PolicyReloader.start(limits, store);
 * }
 * }</pre>
 *
 * <p>A {@link io.headgate.config.sources.PolicyReloader} closes the store. It keeps the last 100 versions, or fewer if their texts have
 * more than 64 MiB together, but at least two. Each call to Consul takes at most 3 seconds after it is connected, or 10 seconds if it writes;
 * connecting takes at most 2 seconds. Until the first reply, a call that reads takes at most 30 seconds. A read makes a call for the version,
 * and one for each 500 kB of texts.
 */
public final class ConsulPolicyStore implements PolicyStore {

    private final ConsulLink reads;
    private final ConsulLink writes;
    private final VersionedPolicies policies;
    private final InstanceReports reports;
    private final StoreWatch watch;

    private ConsulPolicyStore(ConsulSettings settings, Duration wait, long maxBytesOfAll) {
        StoreKeys keys = StoreKeys.of("", settings.keyPrefix());
        this.reads = new ConsulLink(settings, ConsulLink.READ_TIMEOUT);
        this.writes = new ConsulLink(settings, ConsulLink.WRITE_TIMEOUT, ConsulLink.WRITE_TIMEOUT);
        ConsulStorage storage = new ConsulStorage(reads, writes, keys);
        this.policies = new VersionedPolicies(
                settings.address() + " " + keys.root(),
                new VersionStore(storage, keys, maxBytesOfAll),
                new VersionStore(
                        new ConsulStorage(reads, writes, keys.shadow()), keys.shadow(), VersionStore.NO_HISTORY));
        this.reports = new InstanceReports(new ConsulLeases(settings, reads), keys);
        // A link of its own, so that closing it ends a query that waits.
        ConsulLink waiting = new ConsulLink(settings, ConsulLink.READ_TIMEOUT);
        this.watch = new StoreWatch("headgate-config-consul", new ConsulWatch(waiting, keys, wait), reports);
    }

    /**
     * Creates a store, which connects with its first call. While Consul can't be reached, or rejects the token, its calls fail.
     *
     * @throws ConfigException if a file of a certificate is invalid
     */
    public static ConsulPolicyStore connect(ConsulSettings settings) {
        return connect(settings, ConsulWatch.WAIT, VersionStore.MAX_BYTES_OF_ALL);
    }

    static ConsulPolicyStore connect(ConsulSettings settings, Duration wait, long maxBytesOfAll) {
        try {
            return new ConsulPolicyStore(settings, wait, maxBytesOfAll);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(List.of(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public String name() {
        return policies.name();
    }

    @Override
    public PolicyDocument read() {
        return policies.read();
    }

    @Override
    public Optional<PolicyDocument> shadow() {
        return policies.shadow();
    }

    @Override
    public Optional<PolicyVersion> shadowVersion() {
        return policies.shadowVersion();
    }

    @Override
    public boolean discardShadow(String version) {
        return policies.discardShadow(version);
    }

    @Override
    public PolicyUpdate.Result apply(PolicyUpdate update) {
        return policies.apply(update);
    }

    @Override
    public Optional<PolicyDocument> find(String version) {
        return policies.find(version);
    }

    @Override
    public List<PolicyVersion> history(int max) {
        return policies.history(max);
    }

    @Override
    public void report(PolicyStatus status) {
        reports.set(PolicyInstance.ofThisProcess(status));
    }

    @Override
    public List<PolicyInstance> instances() {
        return policies.call(reports::all);
    }

    @Override
    public List<PolicyInstance> previews() {
        return policies.call(reports::previews);
    }

    @Override
    public void watch(Runnable changed) {
        watch.start(changed);
    }

    /**
     * Ends the notifications, removes the report, and closes the connections. If Consul does not reply, it waits up to two seconds. A second
     * call has no effect.
     */
    @Override
    public void close() {
        watch.close();
        reports.leave();
        reads.close();
        writes.close();
    }
}
