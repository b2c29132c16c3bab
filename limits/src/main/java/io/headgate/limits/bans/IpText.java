package io.headgate.limits.bans;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/** Parses and formats IP addresses without using DNS. An IPv4-mapped IPv6 address is treated as the IPv4 address. */
final class IpText {

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int MAX_LENGTH = 45;
    private static final int HEX = 16;

    private IpText() {}

    /** Parses the literal of an address, without zone and port, and without leading zeros in IPv4; empty for other text. */
    static Optional<InetAddress> parse(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        byte[] bytes = text.indexOf(':') < 0 ? v4(text) : v6(text);
        return bytes.length == 0 ? Optional.empty() : Optional.of(address(bytes));
    }

    /** Returns the address with these 4 or 16 bytes. */
    static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes, but was " + bytes.length, e);
        }
    }

    /** Returns four bytes, or none if the text is not an IPv4 address. */
    private static byte[] v4(String text) {
        byte[] bytes = new byte[V4_BYTES];
        int at = 0;
        int number = -1;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : '.';
            if (c == '.') {
                if (number < 0 || number > 255 || at == V4_BYTES) {
                    return new byte[0];
                }
                bytes[at++] = (byte) number;
                number = -1;
            } else if (c < '0' || c > '9' || number == 0 || number > 255) {
                // After a 0, even a digit is wrong: the 0 would be a leading zero.
                return new byte[0];
            } else {
                number = Math.max(number, 0) * 10 + c - '0';
            }
        }
        return at == V4_BYTES ? bytes : new byte[0];
    }

    /** Returns sixteen bytes, or none if the text is not an IPv6 address. */
    private static byte[] v6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            byte[] all = groups(text);
            return all.length == V6_BYTES ? all : new byte[0];
        }
        String before = text.substring(0, gap);
        String after = text.substring(gap + 2);
        byte[] head = groups(before);
        byte[] tail = groups(after);
        boolean wrong = (head.length == 0 && !before.isEmpty()) || (tail.length == 0 && !after.isEmpty());
        if (wrong || before.indexOf('.') >= 0 || head.length + tail.length > V6_BYTES - 2) {
            return new byte[0];
        }
        byte[] bytes = Arrays.copyOf(head, V6_BYTES);
        System.arraycopy(tail, 0, bytes, V6_BYTES - tail.length, tail.length);
        return bytes;
    }

    /** Returns the bytes of groups separated by single colons, the last of which may be an IPv4 address; none if a group is malformed. */
    private static byte[] groups(String text) {
        String[] groups = text.split(":", -1);
        byte[] bytes = new byte[V6_BYTES];
        int at = 0;
        for (int i = 0; i < groups.length; i++) {
            String group = groups[i];
            byte[] part = i == groups.length - 1 && group.indexOf('.') > 0 ? v4(group) : group(group);
            if (part.length == 0 || at + part.length > V6_BYTES) {
                return new byte[0];
            }
            System.arraycopy(part, 0, bytes, at, part.length);
            at += part.length;
        }
        return Arrays.copyOf(bytes, at);
    }

    private static byte[] group(String group) {
        if (group.isEmpty() || group.length() > 4) {
            return new byte[0];
        }
        int number = 0;
        for (int i = 0; i < group.length(); i++) {
            int digit = group.charAt(i) < 0x80 ? Character.digit(group.charAt(i), HEX) : -1;
            if (digit < 0) {
                return new byte[0];
            }
            number = number * HEX + digit;
        }
        return new byte[] {(byte) (number >> 8), (byte) number};
    }

    /** Formats an address as in RFC 5952: in lower case, with two colons for the first longest run of zero groups. */
    static String format(byte[] bytes) {
        if (bytes.length == V4_BYTES) {
            return (bytes[0] & 0xff) + "." + (bytes[1] & 0xff) + "." + (bytes[2] & 0xff) + "." + (bytes[3] & 0xff);
        }
        int[] groups = new int[V6_BYTES / 2];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
        }
        int runStart = -1;
        int runLength = 1;
        int zeros = 0;
        for (int i = 0; i < groups.length; i++) {
            zeros = groups[i] == 0 ? zeros + 1 : 0;
            if (zeros > runLength) {
                runLength = zeros;
                runStart = i - zeros + 1;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < groups.length; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
