package io.headgate.config.internal.stores;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyUpdate;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The end of a shadow version in a key-value store. */
class VersionRemovalTest {

    private static final StoreKeys KEYS = StoreKeys.of("/", "hg").shadow();

    private final MapStorage storage = new MapStorage(KEYS);
    private final VersionStore versions = new VersionStore(storage, KEYS, VersionStore.NO_HISTORY);

    /** A store in memory, whose replies may be lost. */
    static final class MapStorage implements VersionStorage {

        final TreeMap<String, byte[]> values = new TreeMap<>();
        private final StoreKeys keys;
        private long changes;
        boolean isSentTwice;
        boolean isFailing;

        MapStorage(StoreKeys keys) {
            this.keys = keys;
        }

        @Override
        public int partBytes() {
            return 1000;
        }

        @Override
        public Current current() {
            if (isFailing) {
                throw StoreFailure.of("no reply");
            }
            return new Current(read(keys.current()).map(value -> VersionStore.decoded(keys.current(), value)), changes);
        }

        @Override
        public Optional<byte[]> read(String key) {
            return Optional.ofNullable(values.get(key));
        }

        @Override
        public List<StoredVersion> newest(int max) {
            return keys(keys.versions()).stream()
                    .sorted((one, other) -> other.compareTo(one))
                    .limit(max)
                    .map(key -> VersionStore.decoded(key, read(key).orElseThrow()))
                    .toList();
        }

        @Override
        public void write(String key, byte[] value) {
            values.put(key, value);
        }

        @Override
        public Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped) {
            values.put(keys.current(), next.encoded().getBytes(UTF_8));
            values.put(keys.version(next.number()), next.encoded().getBytes(UTF_8));
            dropped.forEach(version -> values.remove(keys.version(version.number())));
            changes++;
            return new Commit(true, Optional.of(next));
        }

        @Override
        public boolean removeCurrent(Current before) {
            boolean isRemoved = before.changedAt() == changes && values.remove(keys.current()) != null;
            changes++;
            return isRemoved && !isSentTwice;
        }

        @Override
        public List<String> keys(String prefix) {
            return values.keySet().stream()
                    .filter(key -> key.startsWith(prefix))
                    .toList();
        }

        @Override
        public void deleteAll(String prefix) {
            values.keySet().removeIf(key -> key.startsWith(prefix));
        }
    }

    private static PolicyUpdate update(Optional<String> replaces, String yaml) {
        return new PolicyUpdate(List.of(new PolicyDocument.Text("api.yaml", yaml)), replaces, "ada", "why");
    }

    private String write(Optional<String> replaces, String yaml) {
        return versions.write(update(replaces, yaml)).current().orElseThrow().id();
    }

    @Test
    void a_discarded_version_leaves_no_texts_and_keeps_its_number() {
        String first = write(Optional.empty(), "first");
        String second = write(Optional.of(first), "second");
        assertThat(versions.remove(first)).isFalse();
        assertThat(versions.remove(second)).isTrue();
        assertThat(storage.keys(KEYS.texts())).isEmpty();
        assertThat(versions.current()).isEmpty();
        assertThat(versions.history(10)).isEmpty();
        assertThat(write(Optional.empty(), "first")).startsWith("3-").isNotEqualTo(first);
    }

    @Test
    void a_discard_that_the_client_has_sent_twice_has_discarded() {
        String first = write(Optional.empty(), "first");
        storage.isSentTwice = true;
        assertThat(versions.remove(first)).isTrue();
        assertThat(versions.remove(first)).isFalse();
    }

    @Test
    void a_version_is_applied_even_if_the_shadow_version_cannot_be_discarded() {
        StoreKeys keys = StoreKeys.of("/", "hg");
        VersionStore current = new VersionStore(new MapStorage(keys), keys, VersionStore.MAX_BYTES_OF_ALL);
        VersionedPolicies policies = new VersionedPolicies("store", current, versions);
        write(Optional.empty(), "first");
        storage.isFailing = true;
        assertThat(policies.apply(update(Optional.empty(), "first")).applied()).isTrue();
        storage.isFailing = false;
        assertThat(policies.shadowVersion()).isPresent();
        assertThat(policies.read().texts().get(0).yaml()).isEqualTo("first");
    }
}
