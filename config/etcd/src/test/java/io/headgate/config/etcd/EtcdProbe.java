package io.headgate.config.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.headgate.testkit.EtcdServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Reads and changes keys of an etcd as another program would. */
final class EtcdProbe implements AutoCloseable {

    private static final long TIMEOUT_SECONDS = 30;

    private final Client client;

    EtcdProbe(EtcdServer etcd) {
        this.client = Client.builder().endpoints(etcd.url()).build();
    }

    <T> T call(Function<Client, CompletableFuture<T>> sent) {
        try {
            return sent.apply(client).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    void put(String key, String value) {
        call(etcd -> etcd.getKVClient().put(bytes(key), bytes(value)));
    }

    /** All keys with this prefix, with their values. */
    List<KeyValue> find(String prefix) {
        GetOption all = GetOption.builder().isPrefix(true).build();
        return call(etcd -> etcd.getKVClient().get(bytes(prefix), all)).getKvs();
    }

    List<String> keys(String prefix) {
        GetOption all = GetOption.builder().isPrefix(true).withKeysOnly(true).build();
        return call(etcd -> etcd.getKVClient().get(bytes(prefix), all)).getKvs().stream()
                .map(found -> found.getKey().toString(UTF_8))
                .toList();
    }

    String value(String key) {
        return find(key).get(0).getValue().toString(UTF_8);
    }

    void delete(String prefix) {
        DeleteOption all = DeleteOption.builder().isPrefix(true).build();
        call(etcd -> etcd.getKVClient().delete(bytes(prefix), all));
    }

    /** Deletes the history of all keys up to now. */
    void compact() {
        long revision =
                call(etcd -> etcd.getKVClient().get(bytes("any"))).getHeader().getRevision();
        call(etcd -> etcd.getKVClient().compact(revision));
    }

    void revoke(long lease) {
        call(etcd -> etcd.getLeaseClient().revoke(lease));
    }

    @Override
    public void close() {
        client.close();
    }
}
