package io.headgate.config.etcd;

import static io.headgate.config.etcd.PolicyTexts.text;
import static io.headgate.config.etcd.PolicyTexts.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoredVersion;
import io.headgate.config.internal.stores.VersionStorage;
import io.headgate.config.internal.stores.VersionStore;
import io.headgate.config.internal.stores.VersionedPolicies;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions whose reply is lost after etcd has executed them. */
@Requires(Requirement.ETCD)
@Timeout(120)
class VersionStoreIT {

    private final EtcdServer etcd = EtcdServer.start();
    private final LostReply lost = new LostReply();
    private final EtcdSettings settings = EtcdSettings.of(etcd.url());
    private final EtcdLink link = new EtcdLink(settings, lost);
    private final StoreKeys keys = StoreKeys.of("/", settings.keyPrefix());
    private final VersionStore versions =
            new VersionStore(new EtcdStorage(link, keys), keys, VersionStore.MAX_BYTES_OF_ALL);

    @AfterEach
    void close() {
        link.close();
        etcd.close();
    }

    /** Replaces the reply to the next transaction by a failure, or by none. */
    private static final class LostReply implements ClientInterceptor {

        private final AtomicReference<Optional<Status>> next = new AtomicReference<>(Optional.empty());
        private volatile boolean swallows;

        @Override
        public <R, S> ClientCall<R, S> interceptCall(MethodDescriptor<R, S> method, CallOptions options, Channel to) {
            ClientCall<R, S> call = to.newCall(method, options);
            return "Txn".equals(method.getBareMethodName()) ? new Call<>(call) : call;
        }

        private final class Call<R, S> extends SimpleForwardingClientCall<R, S> {

            Call(ClientCall<R, S> call) {
                super(call);
            }

            @Override
            public void start(Listener<S> listener, Metadata headers) {
                Optional<Status> failure = next.getAndSet(Optional.empty());
                boolean dropped = swallows;
                super.start(
                        new SimpleForwardingClientCallListener<S>(listener) {
                            @Override
                            public void onMessage(S message) {
                                if (failure.isEmpty() && !dropped) {
                                    super.onMessage(message);
                                }
                            }

                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                if (!dropped) {
                                    super.onClose(failure.orElse(status), trailers);
                                }
                            }
                        },
                        headers);
            }
        }
    }

    @Test
    void a_transaction_that_the_client_has_sent_twice_is_reported_as_written() {
        lost.next.set(Optional.of(Status.UNAUTHENTICATED.withDescription("etcdserver: invalid auth token")));
        VersionStore.Result result = versions.write(update(Optional.empty(), text(1)));
        assertThat(result.written()).isTrue();
        assertThat(result.current()).isEqualTo(versions.current());
        assertThat(versions.read(Optional.empty()).orElseThrow().texts()).containsExactly(text(1));
        assertThat(versions.history(100)).hasSize(1);
    }

    @Test
    void a_transaction_without_a_reply_may_have_been_executed() {
        lost.swallows = true;
        assertThatThrownBy(() -> versions.write(update(Optional.empty(), text(1))))
                .isInstanceOf(StoreFailure.class)
                .hasMessageMatching("write /hg/config/policies/current: etcd did not reply within 10 s; "
                        + "version 1-[0-9a-f]{12} may have been written, see headgate policy history");
        assertThat(versions.read(Optional.empty()).orElseThrow().texts()).containsExactly(text(1));
    }

    /** The client sends the transaction again, after another process has replaced the version that the first one wrote. */
    @Test
    void a_version_that_another_process_has_replaced_before_its_reply_keeps_its_texts() {
        VersionStorage storage = new EtcdStorage(link, keys);
        VersionStorage sentTwice = new VersionStorage() {
            @Override
            public Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped) {
                storage.commit(before, next, dropped);
                assertThat(versions.write(update(Optional.of(next.id()), text(2)))
                                .written())
                        .isTrue();
                return storage.commit(before, next, dropped);
            }

            @Override
            public int partBytes() {
                return storage.partBytes();
            }

            @Override
            public Current current() {
                return storage.current();
            }

            @Override
            public Optional<byte[]> read(String key) {
                return storage.read(key);
            }

            @Override
            public List<StoredVersion> newest(int max) {
                return storage.newest(max);
            }

            @Override
            public void write(String key, byte[] value) {
                storage.write(key, value);
            }

            @Override
            public boolean removeCurrent(Current before) {
                return storage.removeCurrent(before);
            }

            @Override
            public List<String> keys(String prefix) {
                return storage.keys(prefix);
            }

            @Override
            public void deleteAll(String prefix) {
                storage.deleteAll(prefix);
            }
        };
        VersionStore.Result result = new VersionStore(sentTwice, keys, VersionStore.MAX_BYTES_OF_ALL)
                .write(update(Optional.empty(), text(1)));
        assertThat(result.written()).isTrue();
        assertThat(versions.history(100)).hasSize(2);
        assertThat(new VersionedPolicies("etcd", versions, versions)
                        .find("1")
                        .orElseThrow()
                        .texts())
                .containsExactly(text(1));
    }
}
