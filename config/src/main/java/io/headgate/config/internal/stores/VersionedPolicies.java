package io.headgate.config.internal.stores;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a {@link io.headgate.config.sources.PolicyStore} does with its versions, with failures as {@link ConfigException}. */
public final class VersionedPolicies {

    private final String name;
    private final VersionStore versions;
    private final VersionStore shadow;

    /** The document of the last read, so that texts are read only if there is another version. */
    private volatile @Nullable PolicyDocument last;

    private volatile @Nullable PolicyDocument lastShadow;

    /**
     * Creates the policies of a store.
     *
     * @param name the name of the store, with which failures begin
     * @param versions the versions of the store
     * @param shadow its shadow version
     */
    public VersionedPolicies(String name, VersionStore versions, VersionStore shadow) {
        this.name = name;
        this.versions = versions;
        this.shadow = shadow;
    }

    /** Returns the name of the store. */
    public String name() {
        return name;
    }

    /** Reads the current version. */
    public PolicyDocument read() {
        PolicyDocument document = call(() -> versions.read(Optional.ofNullable(last)))
                .orElseThrow(() -> failure("has no policies; write them with headgate policy apply"));
        last = document;
        return document;
    }

    /** Reads the shadow version; empty if there is none. */
    public Optional<PolicyDocument> shadow() {
        Optional<PolicyDocument> document = call(() -> shadow.read(Optional.ofNullable(lastShadow)));
        lastShadow = document.orElse(null);
        return document;
    }

    /** Returns the shadow version without its texts; empty if there is none. */
    public Optional<PolicyVersion> shadowVersion() {
        return call(shadow::current).map(StoredVersion::version);
    }

    /** Discards the shadow version if it is the expected one; returns whether it was. */
    public boolean discardShadow(String expected) {
        return call(() -> shadow.remove(expected));
    }

    /** Writes a version, and reads it back. Discards a shadow version with the same texts. */
    public PolicyUpdate.Result apply(PolicyUpdate update) {
        VersionStore written = update.isShadow() ? shadow : versions;
        VersionStore.Result result = call(() -> written.write(update));
        if (result.written()) {
            requireStored(written, result.current().orElseThrow(), update.texts());
        }
        if (result.written() && !update.isShadow()) {
            discardApplied(PolicyDocument.digest(update.texts()));
        }
        return new PolicyUpdate.Result(result.written(), result.current().map(StoredVersion::version));
    }

    /** If this fails, a shadow version remains that differs in nothing, so that no request is evaluated. */
    private void discardApplied(String digest) {
        try {
            shadow.current()
                    .map(StoredVersion::id)
                    .filter(id -> id.endsWith("-" + digest))
                    .ifPresent(shadow::remove);
        } catch (StoreFailure e) {
            return; // the version is written
        }
    }

    /** Reads the version back, unless others have replaced it so often that it is no longer kept. */
    private void requireStored(VersionStore store, StoredVersion written, List<PolicyDocument.Text> texts) {
        String problem;
        try {
            if (store.document(written)
                    .map(stored -> stored.texts().equals(texts))
                    .orElse(true)) {
                return;
            }
            problem = "its texts differ";
        } catch (StoreFailure e) {
            problem = String.valueOf(e.getMessage());
        }
        throw failure("version " + written.id() + " was written, but cannot be read back: " + problem
                + "; do not write it again, but see headgate policy history");
    }

    /** Returns a version by its number or its id, if it is kept, or the shadow version. */
    public Optional<PolicyDocument> find(String version) {
        if (version.equals(PolicyStore.SHADOW)) {
            return shadow();
        }
        StoredVersion.Id wanted = StoredVersion.Id.parse(version);
        return call(() -> versions.find(wanted).flatMap(versions::document));
    }

    /** Returns the last versions, the current one first. */
    public List<PolicyVersion> history(int max) {
        if (max < 1 || max > VersionStore.MAX_VERSIONS) {
            throw new IllegalArgumentException("max must be from 1 to " + VersionStore.MAX_VERSIONS + ", was " + max);
        }
        return call(() -> versions.history(max)).stream()
                .map(StoredVersion::version)
                .toList();
    }

    /**
     * Makes a call to the store.
     *
     * @throws ConfigException if it fails
     */
    public <T> T call(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (StoreFailure e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    private ConfigException failure(String problem) {
        return new ConfigException(List.of(name + ": " + problem));
    }
}
