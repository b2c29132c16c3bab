package io.headgate.http.attributes;

import io.headgate.limits.bans.IpBlock;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the chain of proxies and clients from {@code X-Forwarded-For} or {@code Forwarded} (RFC 7239): the text of each node, the
 * nearest one first. Malformed text stays in the list, so that the number of hops is right, but has no {@link #address}.
 *
 * <p>The lists are read from the end, where the trusted proxies have appended their elements. In {@code Forwarded}, quoted commas and
 * semicolons do not separate elements, so a client cannot add an element by a host name that a proxy quotes. A client may send a quote
 * that does not end, but it is before the elements of the proxies and hides none of them.
 */
final class ForwardedNodes {

    /** The most nodes that are read, so that a long field costs little. */
    private static final int MAX_NODES = 64;

    private static final Pattern BRACKETED = Pattern.compile("\\[([^\\]]*)](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?");
    private static final Pattern V4_WITH_PORT = Pattern.compile("([0-9.]{7,15}):(?:[0-9]{1,5}|_[A-Za-z0-9._-]+)");
    private static final String MALFORMED = "";

    private ForwardedNodes() {}

    /** Returns the nodes of all {@code X-Forwarded-For} fields. */
    static List<String> ofXForwardedFor(List<String> fields) {
        return nearestFirst(fields, false, element -> element);
    }

    /** Returns the {@code for} parameter of each element of all {@code Forwarded} fields. */
    static List<String> ofForwarded(List<String> fields) {
        return nearestFirst(fields, true, ForwardedNodes::forParameter);
    }

    /** Returns the nodes of comma-separated lists. Empty elements are ignored, as in all lists of HTTP. */
    private static List<String> nearestFirst(List<String> fields, boolean quotes, UnaryOperator<String> node) {
        List<String> nodes = new ArrayList<>();
        for (int i = fields.size() - 1; i >= 0; i--) {
            String field = fields.get(i);
            int end = field.length();
            while (end >= 0 && nodes.size() < MAX_NODES) {
                int comma = separatorBefore(field, end, ',', quotes);
                String element = field.substring(comma + 1, end).strip();
                if (!element.isEmpty()) {
                    nodes.add(node.apply(element));
                }
                end = comma;
            }
        }
        return nodes;
    }

    private static String forParameter(String element) {
        String node = MALFORMED;
        for (int end = element.length(), semicolon; end >= 0; end = semicolon) {
            semicolon = separatorBefore(element, end, ';', true);
            String pair = element.substring(semicolon + 1, end);
            int equals = pair.indexOf('=');
            if (equals >= 0 && pair.substring(0, equals).strip().equalsIgnoreCase("for")) {
                if (!node.equals(MALFORMED)) {
                    // It has two for parameters.
                    return MALFORMED;
                }
                node = unquoted(pair.substring(equals + 1).strip());
            }
        }
        return node;
    }

    /** The position of the last separator before {@code end}, outside of quotes if there may be any; -1 if there is none. */
    private static int separatorBefore(String text, int end, char separator, boolean quotes) {
        boolean quoted = false;
        for (int i = end - 1; i >= 0; i--) {
            char c = text.charAt(i);
            if (quotes && c == '"' && !isEscaped(text, i)) {
                quoted = !quoted;
            } else if (c == separator && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isEscaped(String text, int at) {
        int backslashes = 0;
        while (at - 1 - backslashes >= 0 && text.charAt(at - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    /** Returns the address of a node: an IP address with or without a port, IPv6 with or without brackets; empty for any other text. */
    static Optional<InetAddress> address(String node) {
        Matcher bracketed = BRACKETED.matcher(node);
        if (bracketed.matches()) {
            return bracketed.group(1).indexOf(':') < 0 ? Optional.empty() : IpBlock.findAddress(bracketed.group(1));
        }
        Matcher withPort = V4_WITH_PORT.matcher(node);
        return IpBlock.findAddress(withPort.matches() ? withPort.group(1) : node);
    }
}
