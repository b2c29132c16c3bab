package io.headgate.limits.bans;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Quoted;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A block of IP addresses in CIDR notation, such as {@code 203.0.113.0/24}, or a single address. An IPv4-mapped IPv6 address is the
 * IPv4 address. Blocks are ordered by their first address; of two with the same one, the larger block comes first. Immutable.
 */
public final class IpBlock implements Comparable<IpBlock> {

    private static final int BITS = 128;
    private static final int V4_BITS = 32;
    private static final int V4_BYTES = V4_BITS / Byte.SIZE;
    private static final int BEFORE_V4 = BITS - V4_BITS;

    /** The lower half of the first IPv4-mapped IPv6 address. */
    private static final long MAPPED = 0xffff_0000_0000L;

    // The first address as an IPv6 address, and the number of leading bits that all addresses share.
    private final long high;
    private final long low;
    private final int bits;

    private IpBlock(long high, long low, int bits) {
        this.high = high & mask(bits);
        this.low = low & mask(bits - Long.SIZE);
        this.bits = bits;
    }

    private static long mask(int ones) {
        return ones <= 0 ? 0 : -1L << Math.max(0, Long.SIZE - ones);
    }

    /** Returns the block of a single address. */
    public static IpBlock of(InetAddress address) {
        byte[] bytes = address.getAddress();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return bytes.length == V4_BYTES
                ? new IpBlock(0, MAPPED | (buffer.getInt() & 0xffff_ffffL), BITS)
                : new IpBlock(buffer.getLong(), buffer.getLong(), BITS);
    }

    /**
     * Parses an address, without using DNS.
     *
     * @return empty if the text is not the literal of an IP address
     */
    public static Optional<InetAddress> findAddress(String literal) {
        return IpText.parse(literal);
    }

    /**
     * Parses an address or a block, without using DNS.
     *
     * @return empty if the text is neither, or bits after its prefix are set
     */
    public static Optional<IpBlock> find(String text) {
        int slash = text.indexOf('/');
        return IpText.parse(slash < 0 ? text : text.substring(0, slash))
                .map(IpBlock::of)
                .flatMap(address -> slash < 0 ? Optional.of(address) : address.blockOf(text.substring(slash + 1)));
    }

    /** The block of this address with a prefix length given as text; empty if that is malformed or bits after it are set. */
    private Optional<IpBlock> blockOf(String prefix) {
        boolean isNumber = !prefix.isEmpty()
                && prefix.length() <= 3
                && prefix.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(prefix) <= addressBits();
        return isNumber
                ? Optional.of(enclosing(Integer.parseInt(prefix)))
                        .filter(block -> block.low == low && block.high == high)
                : Optional.empty();
    }

    /**
     * Parses an address or a block, without using DNS.
     *
     * @param what what the text is, for the error message
     * @throws IllegalArgumentException if the text is neither an address nor a block, or bits after its prefix are set
     */
    public static IpBlock parse(String what, String text) {
        return find(text).orElseThrow(() -> {
            int slash = text.indexOf('/');
            Optional<String> corrected = slash < 0
                    ? Optional.empty()
                    : IpText.parse(text.substring(0, slash))
                            .map(IpBlock::of)
                            .flatMap(address -> address.corrected(text.substring(slash + 1)));
            return new IllegalArgumentException(corrected
                    .map(block -> what + " " + text + " has bits after its prefix; write " + block)
                    .orElseGet(() ->
                            what + " must be an IP address or a network such as 10.0.7.0/28 or fd00:7::/64, but was "
                                    + Quoted.of(text)));
        });
    }

    private Optional<String> corrected(String prefix) {
        try {
            return Optional.of(enclosing(Integer.parseInt(prefix)).toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether the addresses are IPv4 addresses. */
    public boolean isIpv4() {
        return high == 0 && bits >= BEFORE_V4 && (low & mask(V4_BITS)) == MAPPED;
    }

    /** Whether the block has a single address. */
    public boolean isAddress() {
        return bits == BITS;
    }

    /** The number of leading bits that all addresses share: up to 32 in IPv4, and 128 in IPv6. */
    public int prefixLength() {
        return isIpv4() ? bits - BEFORE_V4 : bits;
    }

    private int addressBits() {
        return isIpv4() ? V4_BITS : BITS;
    }

    /**
     * Returns the block with this prefix length that contains this one.
     *
     * @param prefixLength 0 to {@link #prefixLength()}
     * @throws IllegalArgumentException if the prefix length is out of range
     */
    public IpBlock enclosing(int prefixLength) {
        Bounds.inRange("prefix length", prefixLength, 0, prefixLength());
        return new IpBlock(high, low, isIpv4() ? BEFORE_V4 + prefixLength : prefixLength);
    }

    /** Whether all addresses of the other block are in this one. */
    public boolean contains(IpBlock other) {
        return other.bits >= bits
                && other.isIpv4() == isIpv4()
                && (other.high & mask(bits)) == high
                && (other.low & mask(bits - Long.SIZE)) == low;
    }

    @Override
    public int compareTo(IpBlock other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        int byLow = Long.compareUnsigned(low, other.low);
        return byHigh != 0 ? byHigh : byLow != 0 ? byLow : Integer.compare(bits, other.bits);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpBlock that && high == that.high && low == that.low && bits == that.bits;
    }

    @Override
    public int hashCode() {
        return (Long.hashCode(high) * 31 + Long.hashCode(low)) * 31 + bits;
    }

    /** Returns the first address. */
    public InetAddress firstAddress() {
        return IpText.address(bytes());
    }

    private byte[] bytes() {
        return isIpv4()
                ? ByteBuffer.allocate(V4_BYTES).putInt((int) low).array()
                : ByteBuffer.allocate(BITS / Byte.SIZE)
                        .putLong(high)
                        .putLong(low)
                        .array();
    }

    /** Returns the address, or the first address and the prefix length; IPv6 as in RFC 5952. */
    @Override
    public String toString() {
        return IpText.format(bytes()) + (isAddress() ? "" : "/" + prefixLength());
    }
}
