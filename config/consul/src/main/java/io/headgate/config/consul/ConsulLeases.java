package io.headgate.config.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreLeases;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.kiwiproject.consul.model.session.ImmutableSession;
import org.kiwiproject.consul.model.session.Session;
import org.kiwiproject.consul.option.ImmutablePutOptions;
import org.kiwiproject.consul.option.PutOptions;

/**
 * Sessions of Consul, which lock a key and delete it at their end. Each session has a key of its own: after the end of a session, Consul
 * delays another lock of the same key.
 */
final class ConsulLeases implements StoreLeases {

    /** The shortest that Consul accepts. Consul may end a session after twice this time only. */
    private static final String TTL = "10s";

    private static final Session SESSION = ImmutableSession.builder()
            .name("headgate policies")
            .behavior("delete")
            .ttl(TTL)
            .build();

    private static final Duration LEAVE_TIMEOUT = Duration.ofMillis(500);
    private static final int MAX_REPORTS = 10_000;
    private static final int MAX_SMALL_BYTES = 10_000;
    private static final long NO_FLAGS = 0;

    private final ConsulSettings settings;
    private final ConsulLink link;

    ConsulLeases(ConsulSettings settings, ConsulLink link) {
        this.settings = settings;
        this.link = link;
    }

    @Override
    public String grant() {
        return link.call("create a session", consul -> consul.sessionClient().createSession(SESSION))
                .getId();
    }

    @Override
    public void extend(String lease) {
        String operation = "renew session " + lease;
        if (link.call(operation, consul -> consul.sessionClient().renewSession(lease))
                .isEmpty()) {
            throw noLease(operation);
        }
    }

    private static StoreFailure noLease(String operation) {
        return new StoreFailure(StoreFailure.Kind.NO_LEASE, operation + ": Consul has ended the session", null);
    }

    @Override
    public void put(String lease, String prefix, String text) {
        String key = prefix + lease;
        String operation = "write " + key;
        PutOptions locked = ImmutablePutOptions.builder().acquire(lease).build();
        boolean written = link.call(
                operation, consul -> consul.keyValueClient().putValue(key, text.getBytes(UTF_8), NO_FLAGS, locked));
        if (!written) {
            throw noLease(operation);
        }
    }

    /** Uses a connection of its own, whose timeout is short. */
    @Override
    public void revoke(String lease) {
        try (ConsulLink leaving = new ConsulLink(settings, LEAVE_TIMEOUT, LEAVE_TIMEOUT)) {
            leaving.call("end session " + lease, consul -> {
                consul.sessionClient().destroySession(lease);
                return lease;
            });
        } catch (IllegalArgumentException e) {
            return; // a file of a certificate is being replaced; the session expires
        }
    }

    /** Reads large texts one by one, so that their number is bounded by their size. */
    @Override
    public Map<String, String> texts(String prefix, int maxBytes) {
        return maxBytes > MAX_SMALL_BYTES ? each(prefix) : all(prefix);
    }

    private Map<String, String> each(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        long bytes = 0;
        for (String key :
                link.call("read " + prefix, consul -> consul.keyValueClient().getKeys(prefix))) {
            if (bytes >= MAX_BYTES) {
                break;
            }
            Optional<String> text = link.call(
                            "read " + key, consul -> consul.keyValueClient().getValue(key))
                    .flatMap(value -> value.getValueAsString(UTF_8));
            bytes += text.map(String::length).orElse(0);
            text.ifPresent(read -> found.put(key.substring(prefix.length()), read));
        }
        return found;
    }

    private Map<String, String> all(String prefix) {
        Map<String, String> all = new LinkedHashMap<>();
        link.call("read " + prefix, consul -> consul.keyValueClient().getValues(prefix)).stream()
                .limit(MAX_REPORTS)
                .forEach(value -> value.getValueAsString(UTF_8)
                        .ifPresent(text -> all.put(value.getKey().substring(prefix.length()), text)));
        return all;
    }
}
