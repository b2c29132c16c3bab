package io.headgate.config.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.OptionsUtil;
import io.etcd.jetcd.options.PutOption;
import io.headgate.config.internal.stores.StoreLeases;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Leases of etcd. Extending one adds no revision to the history of etcd. */
final class EtcdLeases implements StoreLeases {

    /** How long a report is valid: some times longer than the period at which its lease is extended. */
    private static final int LEASE_SECONDS = 20;

    private static final Duration LEAVE_TIMEOUT = Duration.ofMillis(500);

    /** Less than the 4 MiB to which gRPC limits a reply. */
    private static final int PAGE_BYTES = 4_000_000;

    private static final int MAX_REPORTS = 10_000;

    private final EtcdLink link;
    private final String id = UUID.randomUUID().toString();

    EtcdLeases(EtcdLink link) {
        this.link = link;
    }

    @Override
    public String grant() {
        long lease = link.call(
                        "lease for " + id, client -> client.getLeaseClient().grant(LEASE_SECONDS))
                .getID();
        return Long.toString(lease);
    }

    @Override
    public void extend(String lease) {
        link.call("lease for " + id, client -> client.getLeaseClient().keepAliveOnce(Long.parseLong(lease)));
    }

    @Override
    public void put(String lease, String prefix, String text) {
        String key = prefix + id;
        PutOption option =
                PutOption.builder().withLeaseId(Long.parseLong(lease)).build();
        link.call(
                "write " + key, client -> client.getKVClient().put(EtcdLink.bytes(key), EtcdLink.bytes(text), option));
    }

    @Override
    public void revoke(String lease) {
        link.call("lease for " + id, LEAVE_TIMEOUT, client -> client.getLeaseClient()
                .revoke(Long.parseLong(lease)));
    }

    @Override
    public Map<String, String> texts(String prefix, int maxBytes) {
        Map<String, String> all = new LinkedHashMap<>();
        ByteSequence from = EtcdLink.bytes(prefix);
        GetOption option = GetOption.builder()
                .withRange(OptionsUtil.prefixEndOf(from))
                .withLimit(PAGE_BYTES / maxBytes)
                .build();
        boolean more = true;
        long bytes = 0;
        while (more && all.size() < MAX_REPORTS && bytes < MAX_BYTES) {
            ByteSequence first = from;
            GetResponse page =
                    link.call("read " + prefix, client -> client.getKVClient().get(first, option));
            for (KeyValue found : page.getKvs()) {
                bytes += found.getValue().size();
                all.put(
                        found.getKey().toString(UTF_8).substring(prefix.length()),
                        found.getValue().toString(UTF_8));
            }
            more = page.isMore();
            if (more) {
                ByteSequence last = page.getKvs().get(page.getKvs().size() - 1).getKey();
                from = last.concat(ByteSequence.from(new byte[1]));
            }
        }
        return all;
    }
}
