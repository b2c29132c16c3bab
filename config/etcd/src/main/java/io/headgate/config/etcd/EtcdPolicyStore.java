package io.headgate.config.etcd;

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
 * Policies that servers and applications share through etcd, under keys that start with {@code /hg/config/policies/}.
 *
 * <pre>{@code
 * try (EtcdPolicyStore store = EtcdPolicyStore.connect(EtcdSettings.of("http://127.0.0.1:2379"))) {
 *     PolicyReloader policies = PolicyReloader.start(limits, store);
 * }
 * }</pre>
 *
 * <p>A {@link io.headgate.config.sources.PolicyReloader} closes the store. It keeps the last 100 versions, or fewer if their texts have
 * more than 64 MiB together, but at least two. Requires etcd 3.4 or later. Each call to etcd takes at most 3 seconds, or 10 seconds if it
 * writes, and 30 seconds until etcd has replied once. A read makes a call for the version, and one for each MiB of texts.
 */
public final class EtcdPolicyStore implements PolicyStore {

    private final EtcdLink link;
    private final VersionedPolicies policies;
    private final InstanceReports reports;
    private final EtcdWatch source;
    private final StoreWatch watch;

    private EtcdPolicyStore(EtcdSettings settings, Duration poll, long maxBytesOfAll) {
        StoreKeys keys = StoreKeys.of("/", settings.keyPrefix());
        this.link = new EtcdLink(settings);
        EtcdStorage storage = new EtcdStorage(link, keys);
        this.policies = new VersionedPolicies(
                settings.address() + " " + keys.root(),
                new VersionStore(storage, keys, maxBytesOfAll),
                new VersionStore(new EtcdStorage(link, keys.shadow()), keys.shadow(), VersionStore.NO_HISTORY));
        this.reports = new InstanceReports(new EtcdLeases(link), keys);
        this.source = new EtcdWatch(link, keys, storage, poll);
        this.watch = new StoreWatch("headgate-config-etcd", source, reports);
    }

    /**
     * Creates a store, which connects with its first call. While etcd can't be reached, or rejects the user or the password, its calls
     * fail.
     *
     * @throws ConfigException if a file of a certificate is invalid
     */
    public static EtcdPolicyStore connect(EtcdSettings settings) {
        return connect(settings, EtcdWatch.POLL, VersionStore.MAX_BYTES_OF_ALL);
    }

    static EtcdPolicyStore connect(EtcdSettings settings, Duration poll, long maxBytesOfAll) {
        try {
            return new EtcdPolicyStore(settings, poll, maxBytesOfAll);
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
        source.wake();
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
     * Ends the notifications, removes the report, and closes the connections. If etcd does not reply, it waits up to a second. A second
     * call has no effect.
     */
    @Override
    public void close() {
        watch.close();
        reports.leave();
        link.close();
    }
}
