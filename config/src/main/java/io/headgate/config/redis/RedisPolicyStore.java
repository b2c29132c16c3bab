package io.headgate.config.redis;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.stores.PreviewText;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.config.ConfigDraft;
import io.headgate.redis.config.ConfigStoreException;
import io.headgate.redis.config.ConfigVersion;
import io.headgate.redis.config.ConfigWrite;
import io.headgate.redis.config.InstanceReport;
import io.headgate.redis.config.RedisConfigStore;
import io.headgate.redis.config.StoredConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Policies that servers and applications share through Redis, under the key {@code hg:config:policies}.
 *
 * <pre>{@code
 * try (RedisPolicyStore store = RedisPolicyStore.connect(RedisSettings.of("redis://localhost:6379"))) {
 *     PolicyReloader policies = PolicyReloader.start(limits, store);
 * }
 * }</pre>
 *
 * <p>A {@link io.headgate.config.sources.PolicyReloader} closes the store. Each call to Redis takes at most the timeout of the settings, or 5
 * seconds if that is longer; a read makes up to two.
 */
public final class RedisPolicyStore implements PolicyStore {

    /** The name of the configuration, which ends its key. */
    private static final String POLICIES = "policies";

    private final RedisConfigStore store;
    private final String name;

    /** The document of the last read, so that texts are read only if there is another version. */
    private volatile @Nullable PolicyDocument last;

    private volatile @Nullable PolicyDocument lastShadow;

    private RedisPolicyStore(RedisConfigStore store) {
        this.store = store;
        this.name = store.description() + " " + store.key();
    }

    /**
     * Connects. While Redis can't be reached, the store connects in the background, and its calls fail.
     *
     * @throws ConfigException if Redis rejects the user, the password or the database, or its certificate is not trusted
     */
    public static RedisPolicyStore connect(RedisSettings settings) {
        try {
            return new RedisPolicyStore(RedisConfigStore.connect(settings, POLICIES));
        } catch (ConfigStoreException e) {
            throw new ConfigException(List.of(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PolicyDocument read() {
        Optional<String> current = call(store::currentId);
        PolicyDocument known = last;
        if (known != null && current.filter(known.version()::equals).isPresent()) {
            return known;
        }
        PolicyDocument document = call(store::read)
                .map(this::document)
                .orElseThrow(() -> failure("has no policies; write them with headgate policy apply"));
        last = document;
        return document;
    }

    @Override
    public Optional<PolicyDocument> shadow() {
        Optional<String> version = call(store.shadow()::currentId);
        PolicyDocument known = lastShadow;
        if (known != null && version.filter(known.version()::equals).isPresent()) {
            return Optional.of(known);
        }
        Optional<PolicyDocument> document =
                version.flatMap(any -> call(store.shadow()::read)).map(this::document);
        lastShadow = document.orElse(null);
        return document;
    }

    @Override
    public Optional<PolicyVersion> shadowVersion() {
        return call(store.shadow()::current).map(RedisPolicyStore::version);
    }

    @Override
    public boolean discardShadow(String version) {
        return call(() -> store.shadow().remove(version));
    }

    @Override
    public PolicyUpdate.Result apply(PolicyUpdate update) {
        Map<String, String> texts = new LinkedHashMap<>();
        update.texts().forEach(text -> texts.put(text.name(), text.yaml()));
        ConfigDraft draft = new ConfigDraft(texts, update.by(), update.reason());
        ConfigWrite write = call(() -> update.isShadow()
                ? store.shadow().write(draft, update.replaces())
                : store.write(draft, update.replaces()));
        if (write.written()) {
            ConfigVersion written = write.current().orElseThrow();
            requireStored(
                    written,
                    List.copyOf(texts.values()),
                    () -> update.isShadow() ? store.shadow().read() : store.find(written.id()));
            if (!update.isShadow()) {
                discardApplied(PolicyDocument.digest(update.texts()));
            }
        }
        return new PolicyUpdate.Result(write.written(), write.current().map(RedisPolicyStore::version));
    }

    /** If this fails, a shadow version remains that differs in nothing, so that no request is evaluated. */
    private void discardApplied(String digest) {
        try {
            store.shadow().currentId().filter(id -> id.endsWith("-" + digest)).ifPresent(store.shadow()::remove);
        } catch (ConfigStoreException e) {
            return; // the version is written
        }
    }

    /** Reads the version back, unless others have replaced it so often that it is no longer kept. */
    private void requireStored(ConfigVersion written, List<String> texts, Supplier<Optional<StoredConfig>> find) {
        String problem;
        try {
            Optional<StoredConfig> stored =
                    find.get().filter(found -> found.version().equals(written));
            if (stored.map(found -> found.texts().equals(texts)).orElse(true)) {
                return;
            }
            problem = "its texts differ";
        } catch (ConfigStoreException e) {
            problem = String.valueOf(e.getMessage());
        }
        throw failure("version " + written.id() + " was written, but cannot be read back: " + problem
                + "; do not write it again, but see headgate policy history");
    }

    @Override
    public Optional<PolicyDocument> find(String version) {
        return version.equals(SHADOW)
                ? shadow()
                : call(() -> store.find(version)).map(this::document);
    }

    @Override
    public List<PolicyVersion> history(int max) {
        return call(() -> store.history(max)).stream()
                .map(RedisPolicyStore::version)
                .toList();
    }

    @Override
    public void report(PolicyStatus status) {
        PolicyInstance now = PolicyInstance.ofThisProcess(status);
        store.report(new InstanceReport(
                now.name(),
                now.version(),
                now.since(),
                now.rejected(),
                now.preview().map(PreviewText::encode)));
    }

    @Override
    public List<PolicyInstance> instances() {
        return instances(call(store::instances));
    }

    @Override
    public List<PolicyInstance> previews() {
        return instances(call(store::previews));
    }

    private static List<PolicyInstance> instances(List<InstanceReport> reports) {
        return reports.stream()
                .map(report -> new PolicyInstance(
                        report.instance(),
                        report.version(),
                        report.since(),
                        report.rejected(),
                        report.preview().flatMap(PreviewText::decode)))
                .toList();
    }

    private PolicyDocument document(StoredConfig stored) {
        ConfigVersion version = stored.version();
        List<PolicyDocument.Text> texts = new ArrayList<>();
        for (int i = 0; i < version.names().size(); i++) {
            texts.add(new PolicyDocument.Text(
                    version.names().get(i), stored.texts().get(i)));
        }
        return new PolicyDocument(version.id(), Optional.of(version.writtenAt()), texts);
    }

    private static PolicyVersion version(ConfigVersion version) {
        return new PolicyVersion(version.id(), version.writtenAt(), version.by(), version.reason());
    }

    private <T> T call(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ConfigStoreException e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    private ConfigException failure(String problem) {
        return new ConfigException(List.of(name + ": " + problem));
    }

    @Override
    public void watch(Runnable changed) {
        store.watch(changed);
    }

    @Override
    public void close() {
        store.close();
    }
}
