package io.headgate.http.attributes;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network of IP addresses in CIDR notation.
 *
 * @param address the first address of the network
 * @param prefix the prefix length: the number of leading bits that all addresses share
 */
record IpNetwork(InetAddress address, int prefix) {

    private static final Pattern FORM = Pattern.compile("([^/]+)(?:/([0-9]{1,3}))?");

    /**
     * Parses an address, or a network such as {@code 10.0.7.0/28}.
     *
     * @throws IllegalArgumentException if the text is neither, or bits after the prefix are set
     */
    static IpNetwork parse(String text) {
        Matcher parts = FORM.matcher(text);
        Optional<InetAddress> address = parts.matches() ? IpText.parse(parts.group(1)) : Optional.empty();
        if (address.isEmpty()) {
            throw invalid(text);
        }
        int bits = address.get().getAddress().length * Byte.SIZE;
        int prefix = parts.group(2) == null ? bits : Integer.parseInt(parts.group(2));
        if (prefix > bits) {
            throw invalid(text);
        }
        byte[] first = masked(address.get().getAddress(), prefix);
        if (!Arrays.equals(first, address.get().getAddress())) {
            throw new IllegalArgumentException(
                    "network " + text + " has bits after its prefix; write " + IpText.format(first) + "/" + prefix);
        }
        return new IpNetwork(address.get(), prefix);
    }

    private static IllegalArgumentException invalid(String text) {
        String shown = text.length() > 64 ? text.substring(0, 64) + "..." : text;
        return new IllegalArgumentException(
                "trusted proxy must be an IP address or a network such as 10.0.7.0/28 or fd00:7::/64, but was "
                        + shown);
    }

    boolean contains(InetAddress other) {
        byte[] bytes = other.getAddress();
        return bytes.length == address.getAddress().length
                && Arrays.equals(masked(bytes, prefix), address.getAddress());
    }

    /** Returns a copy of the bytes with all bits after the prefix cleared. */
    static byte[] masked(byte[] bytes, int prefix) {
        byte[] masked = bytes.clone();
        for (int i = 0; i < masked.length; i++) {
            int kept = Math.min(Math.max(prefix - i * Byte.SIZE, 0), Byte.SIZE);
            masked[i] &= (byte) (0xff << (Byte.SIZE - kept));
        }
        return masked;
    }
}
