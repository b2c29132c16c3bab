package io.headgate.limits.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Optional;

/**
 * The requests to which a ban or an exemption applies: those with one value of an attribute, to all policies or to one. The value may
 * be a block of IP addresses; then it applies to all of its addresses.
 *
 * <p>An attribute may have a block as its value too, as clients with IPv6 addresses are counted by their /64 network. The target applies to
 * such a request if both blocks have addresses in common.
 *
 * @param policy the name of the only policy; empty for all policies
 * @param attribute the name of an attribute, which need not be a dimension of a policy
 * @param value the value: 1 to 1024 characters. An IP address or block is stored in its canonical form
 */
public record BanTarget(Optional<String> policy, String attribute, String value) implements Comparable<BanTarget> {

    private static final int MAX_CHARACTERS = 1024;

    private static final Comparator<BanTarget> ORDER = Comparator.<BanTarget, String>comparing(
                    target -> target.policy().orElse(""))
            .thenComparing(BanTarget::attribute)
            .thenComparing(BanTarget::value);

    /**
     * Checks the names and the value.
     *
     * @throws IllegalArgumentException if one of them is not allowed, if the value has half of a surrogate pair, which UTF-8 can't encode,
     *     or if it is an IP address, a slash and a text that is no prefix length of that address
     */
    public BanTarget {
        policy.ifPresent(name -> Bounds.name("name of a policy", name));
        Bounds.name("name of an attribute", attribute);
        Bounds.inRange("number of characters of " + attribute + " in a ban", value.length(), 1, MAX_CHARACTERS);
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException(attribute
                    + " in a ban must be valid Unicode, but has half of a surrogate pair: " + Quoted.of(value));
        }
        value = canonical(attribute, value);
    }

    private static String canonical(String attribute, String value) {
        int slash = value.indexOf('/');
        boolean isBlock = slash > 0 && IpBlock.find(value.substring(0, slash)).isPresent();
        return isBlock
                ? IpBlock.parse(attribute, value).toString()
                : IpBlock.find(value).map(IpBlock::toString).orElse(value);
    }

    /** Returns the requests with this value of an attribute, to all policies. */
    public static BanTarget of(String attribute, String value) {
        return new BanTarget(Optional.empty(), attribute, value);
    }

    /** Returns the requests with this value of the attribute {@link Attributes#USER}, to all policies. */
    public static BanTarget user(String user) {
        return of(Attributes.USER, user);
    }

    /**
     * Returns the requests with this value of the attribute {@link Attributes#IP}, to all policies.
     *
     * @param addresses an IP address, or a block such as {@code 203.0.113.0/24} or {@code 2001:db8::/32}
     * @throws IllegalArgumentException if the text is neither, or bits after its prefix are set
     */
    public static BanTarget ip(String addresses) {
        return of(Attributes.IP, IpBlock.parse(Attributes.IP, addresses).toString());
    }

    /** Returns the same requests to this policy only. */
    public BanTarget ofPolicy(String name) {
        return new BanTarget(Optional.of(name), attribute, value);
    }

    /** Returns the addresses, if the value is an IP address or a block of them. */
    public Optional<IpBlock> addresses() {
        return IpBlock.find(value);
    }

    /** Orders by policy, attribute and value; targets for all policies come first. */
    @Override
    public int compareTo(BanTarget other) {
        return ORDER.compare(this, other);
    }

    /** Returns the target as text, such as {@code user=alice}, or {@code user=alice of policy api}. */
    @Override
    public String toString() {
        return attribute + "=" + value
                + policy.map(name -> " of policy " + name).orElse("");
    }
}
