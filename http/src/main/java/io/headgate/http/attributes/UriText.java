package io.headgate.http.attributes;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Decodes percent-encoded text, and normalizes paths (RFC 3986). */
final class UriText {

    private static final String UNRESERVED_MARKS = "-._~";
    private static final int HEX = 16;

    private UriText() {}

    /**
     * The first index of a character from start until before end; end if it is not there. {@link String#indexOf(int, int)} would search
     * to the end of the text.
     */
    static int indexOf(String text, char wanted, int start, int end) {
        int i = start;
        while (i < end && text.charAt(i) != wanted) {
            i++;
        }
        return i;
    }

    /**
     * Decodes a part of a path or query. Text without escapes is not checked.
     *
     * @param plusIsSpace whether a plus sign stands for a space, as in a query
     * @return empty if an escape is incomplete or malformed, or the decoded bytes are not UTF-8
     */
    static Optional<String> decoded(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0) {
            return Optional.of(plusIsSpace ? text.replace('+', ' ') : text);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '%') {
                int escaped = escapedByte(text, i);
                if (escaped < 0) {
                    return Optional.empty();
                }
                bytes.write(escaped);
                i += 3;
            } else {
                int next = text.offsetByCodePoints(i, 1);
                if (Character.isSurrogate(c) && next == i + 1) {
                    return Optional.empty();
                }
                bytes.writeBytes(
                        (plusIsSpace && c == '+' ? " " : text.substring(i, next)).getBytes(StandardCharsets.UTF_8));
                i = next;
            }
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** Returns the byte of the escape at an index; -1 if the escape is incomplete or malformed. */
    private static int escapedByte(String text, int at) {
        if (at + 2 >= text.length()) {
            return -1;
        }
        int high = hexDigit(text.charAt(at + 1));
        int low = hexDigit(text.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high * HEX + low;
    }

    private static char upperHex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit, HEX));
    }

    private static int hexDigit(char c) {
        // Character.digit alone also accepts the digits of other scripts.
        return c < 0x80 ? Character.digit(c, HEX) : -1;
    }

    /**
     * Returns the normal form of a path: escapes of unreserved characters are decoded, other escapes are in upper case, a percent sign
     * that starts no escape is {@code %25}, dot segments are removed, and repeated slashes are joined. A path that does not start with
     * a slash, as in {@code OPTIONS *}, is returned unchanged.
     */
    static String normalPath(String path) {
        if (!path.startsWith("/") || (path.indexOf('%') < 0 && !path.contains("//") && !path.contains("/."))) {
            return path;
        }
        Deque<String> segments = new ArrayDeque<>();
        boolean endsWithSlash = false;
        for (String segment : normalEscapes(path).split("/")) {
            endsWithSlash = segment.equals(".") || segment.equals("..");
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.addLast(segment);
            }
        }
        String joined = "/" + String.join("/", segments);
        return (endsWithSlash || path.endsWith("/")) && joined.length() > 1 ? joined + "/" : joined;
    }

    private static String normalEscapes(String path) {
        StringBuilder normal = new StringBuilder(path.length());
        int i = 0;
        while (i < path.length()) {
            int escaped = path.charAt(i) == '%' ? escapedByte(path, i) : -1;
            if (escaped < 0) {
                normal.append(path.charAt(i) == '%' ? "%25" : path.substring(i, i + 1));
                i++;
            } else {
                if (isUnreserved(escaped)) {
                    normal.append((char) escaped);
                } else {
                    normal.append('%').append(upperHex(escaped / HEX)).append(upperHex(escaped % HEX));
                }
                i += 3;
            }
        }
        return normal.toString();
    }

    private static boolean isUnreserved(int c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED_MARKS.indexOf(c) >= 0);
    }
}
