package io.headgate.testkit.internal;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;

/**
 * The parts of {@code redis://user:password@host:port/database} that the test kit needs.
 *
 * @param host name or address
 * @param port 6379 when the URL has none
 * @param authentication the arguments of AUTH: none, a password, or a user and a password
 * @param database the argument of SELECT, if the URL has one
 */
public record RedisUrl(String host, int port, List<String> authentication, Optional<String> database) {

    private static final int DEFAULT_PORT = 6379;

    public static RedisUrl parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(expected(url)); // without the cause, whose message has the password
        }
        if (!"redis".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException(expected(url));
        }
        String path = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
        return new RedisUrl(
                uri.getHost(),
                uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
                authentication(uri),
                path.isEmpty() ? Optional.empty() : Optional.of(path));
    }

    /** Returns the URL with another host and port, and the same credentials and database. */
    public static String readdressed(String url, String host, int port) {
        URI uri = URI.create(url);
        String user = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo() + "@";
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        return "redis://" + user + host + ":" + port + path;
    }

    /** The URL without user and password. */
    public String withoutCredentials() {
        return "redis://" + host + ":" + port
                + database.map(number -> "/" + number).orElse("");
    }

    private static List<String> authentication(URI uri) {
        String given = uri.getUserInfo();
        if (given == null || given.isEmpty()) {
            return List.of();
        }
        int colon = given.indexOf(':');
        if (colon < 0) {
            return List.of(given);
        }
        String password = given.substring(colon + 1);
        return colon == 0 ? List.of(password) : List.of(given.substring(0, colon), password);
    }

    private static String withoutUser(String url) {
        return url.substring(url.lastIndexOf('@') + 1);
    }

    private static String expected(String url) {
        return "a Redis for tests is given as redis://[[user]:password@]host[:port][/database], was \""
                + withoutUser(url) + "\"";
    }
}
