package io.headgate.config.consul;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoredVersion;
import io.headgate.config.internal.stores.VersionStorage;
import io.headgate.config.internal.stores.VersionStore;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.kiwiproject.consul.model.kv.ImmutableOperation;
import org.kiwiproject.consul.model.kv.Operation;
import org.kiwiproject.consul.model.kv.Value;
import org.kiwiproject.consul.model.kv.Verb;
import org.kiwiproject.consul.option.ConsistencyMode;
import org.kiwiproject.consul.option.ImmutableQueryOptions;
import org.kiwiproject.consul.option.Options;
import org.kiwiproject.consul.option.QueryOptions;

/**
 * Versions as keys of Consul. All reads are consistent: a former leader of the cluster would return stale values, and a version that was
 * just written would seem to be missing.
 */
final class ConsulStorage implements VersionStorage {

    /** Less than the 512 kB that Consul accepts as a value. */
    static final int PART_BYTES = 500_000;

    private static final QueryOptions CONSISTENT = ImmutableQueryOptions.builder()
            .consistencyMode(ConsistencyMode.CONSISTENT)
            .build();
    private static final long NO_FLAGS = 0;

    private final ConsulLink reads;
    private final ConsulLink writes;
    private final StoreKeys keys;

    ConsulStorage(ConsulLink reads, ConsulLink writes, StoreKeys keys) {
        this.reads = reads;
        this.writes = writes;
        this.keys = keys;
    }

    @Override
    public int partBytes() {
        return PART_BYTES;
    }

    @Override
    public Current current() {
        Optional<Value> found = value(keys.current());
        return new Current(
                found.map(ConsulStorage::version),
                found.map(Value::getModifyIndex).orElse(0L));
    }

    private Optional<Value> value(String key) {
        return reads.call("read " + key, consul -> consul.keyValueClient().getValue(key, CONSISTENT));
    }

    private static StoredVersion version(Value found) {
        return VersionStore.decoded(found.getKey(), bytes(found));
    }

    private static byte[] bytes(Value found) {
        return found.getValueAsBytes().orElse(new byte[0]);
    }

    @Override
    public Optional<byte[]> read(String key) {
        return value(key).map(ConsulStorage::bytes);
    }

    @Override
    public List<StoredVersion> newest(int max) {
        String prefix = keys.versions();
        return reads.call("read " + prefix, consul -> consul.keyValueClient().getValues(prefix, CONSISTENT)).stream()
                .sorted(Comparator.comparing(Value::getKey).reversed())
                .limit(max)
                .map(ConsulStorage::version)
                .toList();
    }

    @Override
    public void write(String key, byte[] value) {
        boolean written = writes.call("write " + key, consul -> consul.keyValueClient()
                .putValue(key, value, NO_FLAGS, Options.BLANK_PUT_OPTIONS));
        if (!written) {
            throw StoreFailure.of("write " + key + ": Consul has not written the value");
        }
    }

    /** Consul rolls a transaction back for any reason, so that the reason is whether the current version has changed. */
    @Override
    public Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped) {
        List<Operation> operations = new ArrayList<>();
        operations.add(operation(Verb.CHECK_AND_SET, keys.current())
                .value(next.encoded())
                .index(BigInteger.valueOf(before.changedAt()))
                .build());
        operations.add(operation(Verb.SET, keys.version(next.number()))
                .value(next.encoded())
                .build());
        dropped.forEach(version -> operations.add(
                operation(Verb.DELETE, keys.version(version.number())).build()));
        try {
            writes.call("write " + keys.current(), consul -> consul.keyValueClient()
                    .performTransaction(operations.toArray(Operation[]::new)));
            return new Commit(true, Optional.of(next));
        } catch (StoreFailure e) {
            if (e.kind() != StoreFailure.Kind.ROLLED_BACK) {
                throw e;
            }
            Current now = current();
            if (now.changedAt() == before.changedAt()) {
                throw e;
            }
            return new Commit(false, now.version());
        }
    }

    private static ImmutableOperation.Builder operation(Verb verb, String key) {
        return ImmutableOperation.builder().verb(verb.toValue()).key(key);
    }

    @Override
    public boolean removeCurrent(Current before) {
        Operation delete = operation(Verb.DELETE_CHECK_AND_SET, keys.current())
                .index(BigInteger.valueOf(before.changedAt()))
                .build();
        try {
            writes.call("delete " + keys.current(), consul -> consul.keyValueClient()
                    .performTransaction(delete));
            return true;
        } catch (StoreFailure e) {
            if (e.kind() != StoreFailure.Kind.ROLLED_BACK) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public List<String> keys(String prefix) {
        return reads.call("read " + prefix, consul -> consul.keyValueClient().getKeys(prefix, CONSISTENT));
    }

    @Override
    public void deleteAll(String prefix) {
        writes.call("delete " + prefix, consul -> {
            consul.keyValueClient().deleteKeys(prefix);
            return prefix;
        });
    }
}
