package io.headgate.http.attributes;

import io.headgate.limits.bans.IpBlock;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the address of the client behind proxies that you trust. By default, no proxy is trusted: the client is the peer of the
 * connection.
 *
 * <pre>{@code
 * ClientAddress address = ClientAddress.trusting("10.0.7.0/28", "fd00:7::/64");
 * }</pre>
 *
 * <p>Anybody can send {@code X-Forwarded-For}; each proxy appends the address of its own peer. So the list is read from its end:
 *
 * <ul>
 *   <li>With trusted networks, the client is the last address outside of them, or the first address of the list if all are trusted. If
 *       the peer is not in these networks, or the list is empty, the client is the peer.
 *   <li>With a number of trusted proxies, the client is the address that the outermost of them has appended. If the list has fewer
 *       entries than that number, the client is the peer.
 *   <li>If an entry that is read is not an address, the client is the peer.
 * </ul>
 *
 * <p>Only one header field is read, {@code X-Forwarded-For} by default, because your proxies must append to it or overwrite it. The
 * other field may come from the client. Immutable.
 */
public final class ClientAddress {

    private static final String X_FORWARDED_FOR = "X-Forwarded-For";
    private static final String FORWARDED = "Forwarded";
    private static final int V6_BITS = 128;
    private static final int DEFAULT_V6_PREFIX = 64;
    private static final int MAX_PROXIES = 16;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    private final List<IpBlock> networks;
    private final int proxies;
    private final boolean forwarded;
    private final int ipv6Prefix;

    private ClientAddress(List<IpBlock> networks, int proxies, boolean forwarded, int ipv6Prefix) {
        this.networks = networks;
        this.proxies = proxies;
        this.forwarded = forwarded;
        this.ipv6Prefix = ipv6Prefix;
    }

    /** Returns an instance that trusts no proxy: the client is the peer, and header fields are ignored. */
    public static ClientAddress ofPeer() {
        return new ClientAddress(List.of(), 0, false, DEFAULT_V6_PREFIX);
    }

    /**
     * Returns an instance that trusts the proxies in these networks. Name only the addresses of your proxies: any host in the networks
     * can choose the address by which it is counted.
     *
     * @param networks IP addresses or networks in CIDR notation, for example {@code 10.0.7.0/28} or {@code ::1}; at least one
     * @throws IllegalArgumentException if there is no network, or one is malformed or has the prefix length 0
     */
    public static ClientAddress trusting(String... networks) {
        if (networks.length == 0) {
            throw new IllegalArgumentException("trusted networks must have at least one element, but has none");
        }
        List<IpBlock> trusted = Arrays.stream(networks)
                .map(network -> IpBlock.parse("trusted proxy", network))
                .toList();
        if (trusted.stream().anyMatch(network -> network.prefixLength() == 0)) {
            throw new IllegalArgumentException(
                    "trusted networks must not have the prefix /0, as every client could then choose"
                            + " its address, but are " + String.join(", ", networks));
        }
        return new ClientAddress(trusted, 0, false, DEFAULT_V6_PREFIX);
    }

    /**
     * Returns an instance that trusts this number of proxies, whatever their addresses are. Clients must not be able to reach the
     * server, or an inner proxy, directly.
     *
     * @param proxies 1 to 16, including the one that is the peer
     * @throws IllegalArgumentException if the number is out of range
     */
    public static ClientAddress behindProxies(int proxies) {
        if (proxies < 1 || proxies > MAX_PROXIES) {
            throw new IllegalArgumentException(
                    "number of trusted proxies must be from 1 to " + MAX_PROXIES + ", but was " + proxies);
        }
        return new ClientAddress(List.of(), proxies, false, DEFAULT_V6_PREFIX);
    }

    /**
     * Parses a setting: the number of trusted proxies, as for {@link #behindProxies}, or a comma-separated list of networks, as for
     * {@link #trusting}.
     *
     * @param setting for example {@code 2}, or {@code 10.0.7.0/28, fd00:7::/64}
     * @throws IllegalArgumentException if the setting is neither
     */
    public static ClientAddress parseTrusted(String setting) {
        return NUMBER.matcher(setting.strip()).matches()
                ? behindProxies(Integer.parseInt(setting.strip()))
                : trusting(
                        Arrays.stream(setting.split(",", -1)).map(String::strip).toArray(String[]::new));
    }

    /** Returns a copy that reads {@code Forwarded} (RFC 7239) instead of {@code X-Forwarded-For}. */
    public ClientAddress readingForwarded() {
        return new ClientAddress(networks, proxies, true, ipv6Prefix);
    }

    /**
     * Returns a copy with another prefix length of the IPv6 networks in {@link #text}, 64 by default. A home or a server usually has a
     * whole /64. If each address in it had a count of its own, a client could evade its limit by changing addresses.
     *
     * @param bits 1 to 128
     * @throws IllegalArgumentException if the length is out of range
     */
    public ClientAddress withIpv6Prefix(int bits) {
        if (bits < 1 || bits > V6_BITS) {
            throw new IllegalArgumentException("IPv6 prefix must be from 1 to " + V6_BITS + " bits, but was " + bits);
        }
        return new ClientAddress(networks, proxies, forwarded, bits);
    }

    /** Returns the trusted networks; empty if none is trusted, or only a {@linkplain #behindProxies number of proxies}. */
    public List<IpBlock> trustedNetworks() {
        return networks;
    }

    /**
     * Returns the address of the client. Empty if the peer has no address, unless the client is found {@linkplain #behindProxies behind a
     * number of proxies}. Never throws.
     */
    public Optional<InetAddress> find(RequestView request) {
        Optional<InetAddress> peer =
                request.peerAddress().map(address -> IpBlock.of(address).firstAddress());
        if (proxies > 0) {
            List<String> nodes = nodes(request);
            return nodes.size() < proxies
                    ? peer
                    : ForwardedNodes.address(nodes.get(proxies - 1)).or(() -> peer);
        }
        return peer.filter(this::isTrusted).isPresent() ? behindTrusted(nodes(request), peer) : peer;
    }

    private Optional<InetAddress> behindTrusted(List<String> nodes, Optional<InetAddress> peer) {
        Optional<InetAddress> client = peer;
        for (String node : nodes) {
            client = ForwardedNodes.address(node);
            if (client.isEmpty()) {
                return peer;
            }
            if (!isTrusted(client.get())) {
                return client;
            }
        }
        return client;
    }

    private List<String> nodes(RequestView request) {
        return forwarded
                ? ForwardedNodes.ofForwarded(request.headers(FORWARDED))
                : ForwardedNodes.ofXForwardedFor(request.headers(X_FORWARDED_FOR));
    }

    private boolean isTrusted(InetAddress address) {
        IpBlock peer = IpBlock.of(address);
        for (IpBlock network : networks) {
            if (network.contains(peer)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the client's address as text to count by: an IPv4 address, or the network of an IPv6 address, for example {@code
     * 2001:db8:1:2::/64}; with a prefix of 128 bits, the IPv6 address itself. An IPv4-mapped address is the IPv4 address. Never throws.
     *
     * @return empty if {@link #find} finds no address
     */
    public Optional<String> text(RequestView request) {
        return find(request).map(this::text);
    }

    /** Returns an address as text to count by, as {@link #text(RequestView)} does. */
    public String text(InetAddress address) {
        IpBlock client = IpBlock.of(address);
        return (client.isIpv4() ? client : client.enclosing(ipv6Prefix)).toString();
    }

    /**
     * Parses an IP address without using DNS, for servers that provide the peer's address as text.
     *
     * @return empty if the text is not the literal of an IP address
     */
    public static Optional<InetAddress> parse(String literal) {
        return IpBlock.findAddress(literal);
    }
}
