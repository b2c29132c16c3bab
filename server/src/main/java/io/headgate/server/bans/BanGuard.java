package io.headgate.server.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.IpBlock;
import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;

/**
 * Refuses bans that lock out more clients than an operator is likely to intend, and entries that would never apply.
 *
 * @param guarded addresses that must not be banned, each with what it is
 */
record BanGuard(List<Guarded> guarded) {

    private static final int WIDEST_IPV4 = 8;
    private static final int WIDEST_IPV6 = 32;

    /** Clients with IPv6 addresses are counted by networks with this prefix length, so a ban of an address applies to its network. */
    private static final int IPV6_NETWORK = 64;

    /** Addresses that must not be banned. */
    record Guarded(String what, IpBlock addresses) {}

    /**
     * Checks a request.
     *
     * @param remedy how to add it nevertheless, for the error
     * @throws IllegalArgumentException if it bans a block wider than /8 (IPv6: /32), or guarded addresses, or if its target is an
     *     {@code ip} that is not an address
     */
    void check(BanRequest request, String remedy) {
        Optional<IpBlock> addresses = request.target().addresses();
        boolean isIp = request.target().attribute().equals(Attributes.IP);
        if (isIp && addresses.isEmpty()) {
            throw new IllegalArgumentException("ip must be an IP address or a network such as 203.0.113.0/24, was "
                    + Quoted.of(request.target().value()) + "; correct it, or " + remedy);
        }
        if (addresses.isEmpty() || request.kind() != BanEntry.Kind.BAN) {
            return;
        }
        IpBlock block = addresses.get();
        int widest = block.isIpv4() ? WIDEST_IPV4 : WIDEST_IPV6;
        if (block.prefixLength() < widest) {
            throw new IllegalArgumentException(
                    request.target() + " is wider than /" + widest + "; ban smaller blocks, or " + remedy);
        }
        if (!isIp) {
            return;
        }
        for (Guarded one : guarded) {
            IpBlock network = network(one.addresses());
            if (block.contains(network) || network.contains(block)) {
                throw new IllegalArgumentException(request.target() + " applies to " + one.what() + " "
                        + one.addresses() + "; ban other addresses, or " + remedy);
            }
        }
    }

    /** Returns the addresses that are counted together with these: of an IPv6 address, its network. */
    static IpBlock network(IpBlock addresses) {
        return addresses.isIpv4() || addresses.prefixLength() <= IPV6_NETWORK
                ? addresses
                : addresses.enclosing(IPV6_NETWORK);
    }
}
