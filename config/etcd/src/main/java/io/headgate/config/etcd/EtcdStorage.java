package io.headgate.config.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoredVersion;
import io.headgate.config.internal.stores.VersionStorage;
import io.headgate.config.internal.stores.VersionStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Stores the versions of the policies as keys of etcd. */
final class EtcdStorage implements VersionStorage {

    /** Less than the 1.5 MiB that etcd accepts in one request. */
    private static final int PART_BYTES = 1 << 20;

    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(10);

    private final EtcdLink link;
    private final StoreKeys keys;

    EtcdStorage(EtcdLink link, StoreKeys keys) {
        this.link = link;
        this.keys = keys;
    }

    /**
     * The revisions of etcd at which versions were written last.
     *
     * @param changedAt the revision of the current version; 0 if there is none
     * @param shadowChangedAt the revision of the shadow version; 0 if there is none
     * @param readAt the revision at which it was read
     */
    record Read(long changedAt, long shadowChangedAt, long readAt) {}

    /** Reads when the current version and the shadow version were changed, in one call. */
    Read readChanges() {
        GetResponse reply = get(
                keys.current(),
                GetOption.builder().isPrefix(true).withKeysOnly(true).build());
        return new Read(
                revision(reply, keys.current()),
                revision(reply, keys.shadow().current()),
                reply.getHeader().getRevision());
    }

    private static long revision(GetResponse reply, String key) {
        return reply.getKvs().stream()
                .filter(found -> found.getKey().toString(UTF_8).equals(key))
                .mapToLong(KeyValue::getModRevision)
                .findFirst()
                .orElse(0);
    }

    private GetResponse get(String key, GetOption option) {
        return link.call("read " + key, client -> client.getKVClient().get(EtcdLink.bytes(key), option));
    }

    private static StoredVersion version(KeyValue found) {
        return VersionStore.decoded(
                found.getKey().toString(UTF_8), found.getValue().getBytes());
    }

    @Override
    public int partBytes() {
        return PART_BYTES;
    }

    @Override
    public Current current() {
        Optional<KeyValue> found =
                get(keys.current(), GetOption.DEFAULT).getKvs().stream().findFirst();
        return new Current(
                found.map(EtcdStorage::version),
                found.map(KeyValue::getModRevision).orElse(0L));
    }

    @Override
    public Optional<byte[]> read(String key) {
        return get(key, GetOption.DEFAULT).getKvs().stream().findFirst().map(found -> found.getValue()
                .getBytes());
    }

    @Override
    public List<StoredVersion> newest(int max) {
        GetOption last = GetOption.builder()
                .isPrefix(true)
                .withSortField(GetOption.SortTarget.KEY)
                .withSortOrder(GetOption.SortOrder.DESCEND)
                .withLimit(max)
                .build();
        return get(keys.versions(), last).getKvs().stream()
                .map(EtcdStorage::version)
                .toList();
    }

    @Override
    public void write(String key, byte[] value) {
        ByteSequence bytes = ByteSequence.from(value);
        link.call("write " + key, WRITE_TIMEOUT, client -> client.getKVClient().put(EtcdLink.bytes(key), bytes));
    }

    /** Deletes the dropped versions, of which the first is the newest, as one range, so that the transaction has few operations. */
    @Override
    public Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped) {
        ByteSequence current = EtcdLink.bytes(keys.current());
        ByteSequence value = EtcdLink.bytes(next.encoded());
        long oldestKept = dropped.stream()
                .findFirst()
                .map(version -> version.number() + 1)
                .orElse(0L);
        DeleteOption older = DeleteOption.builder()
                .withRange(EtcdLink.bytes(keys.version(oldestKept)))
                .build();
        TxnResponse reply = link.call("write " + keys.current(), WRITE_TIMEOUT, client -> client.getKVClient()
                .txn()
                .If(new Cmp(current, Cmp.Op.EQUAL, CmpTarget.modRevision(before.changedAt())))
                .Then(
                        Op.put(current, value, PutOption.DEFAULT),
                        Op.put(EtcdLink.bytes(keys.version(next.number())), value, PutOption.DEFAULT),
                        Op.delete(EtcdLink.bytes(keys.versions()), older))
                .Else(Op.get(current, GetOption.DEFAULT))
                .commit());
        return reply.isSucceeded()
                ? new Commit(true, Optional.of(next))
                : new Commit(
                        false,
                        reply.getGetResponses().get(0).getKvs().stream()
                                .findFirst()
                                .map(EtcdStorage::version));
    }

    @Override
    public boolean removeCurrent(Current before) {
        ByteSequence current = EtcdLink.bytes(keys.current());
        return link.call("delete " + keys.current(), WRITE_TIMEOUT, client -> client.getKVClient()
                        .txn()
                        .If(new Cmp(current, Cmp.Op.EQUAL, CmpTarget.modRevision(before.changedAt())))
                        .Then(Op.delete(current, DeleteOption.DEFAULT))
                        .commit())
                .isSucceeded();
    }

    @Override
    public List<String> keys(String prefix) {
        GetOption all = GetOption.builder().isPrefix(true).withKeysOnly(true).build();
        return get(prefix, all).getKvs().stream()
                .map(found -> found.getKey().toString(UTF_8))
                .toList();
    }

    @Override
    public void deleteAll(String prefix) {
        DeleteOption all = DeleteOption.builder().isPrefix(true).build();
        link.call("delete " + prefix, client -> client.getKVClient().delete(EtcdLink.bytes(prefix), all));
    }
}
