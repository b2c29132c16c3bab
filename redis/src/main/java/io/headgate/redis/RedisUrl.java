package io.headgate.redis;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A checked URL of one Redis, of a primary that sentinels watch, or of a Cluster. An error never contains the URL, because the URL may
 * contain a password.
 */
final class RedisUrl {

    private static final Pattern CLUSTER =
            Pattern.compile("(rediss?)-cluster://([^@/?#]*@)?([^/?#]*)(.*)", Pattern.DOTALL);

    /** An IPv6 address, which has at least two colons, unlike a host name with a port. */
    private static final Pattern IPV6 = Pattern.compile("\\[?(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]+(%\\w+)?]?");

    private static final String FORMS = "redis://[[user]:password@]host[:port][/database],"
            + " redis-sentinel://[[user]:password@]host[:port],host[:port]...[/database]#name, or"
            + " redis-cluster://[[user]:password@]host[:port],host[:port]..., each with rediss for TLS";

    private final String url;
    private final boolean isTls;

    /**
     * Checks the URL.
     *
     * @throws IllegalArgumentException when it has none of the forms
     */
    RedisUrl(String url) {
        this.url = url;
        this.isTls = uris().get(0).isSsl();
    }

    boolean isCluster() {
        return CLUSTER.matcher(url).matches();
    }

    boolean isTls() {
        return isTls;
    }

    /** Parses the URL: for a Cluster, one URI for each node; otherwise one URI. URIs are mutable, so each call returns new ones. */
    List<RedisURI> uris() {
        if (!isCluster()) {
            return List.of(checked(parsed(url)));
        }
        List<RedisURI> nodes =
                nodes(url).stream().map(node -> checked(parsed(node))).toList();
        if (nodes.get(0).getDatabase() != 0) {
            throw invalid("; a Cluster has only the database 0");
        }
        return nodes;
    }

    /** Returns the URL of each node that the URL of a Cluster names, as if that node were a single Redis; at least one. */
    static List<String> nodes(String clusterUrl) {
        Matcher parts = CLUSTER.matcher(clusterUrl);
        if (!parts.matches()) {
            throw new IllegalArgumentException("url must begin with redis-cluster:// or rediss-cluster://");
        }
        String user = parts.group(2) == null ? "" : parts.group(2);
        List<String> nodes = new ArrayList<>();
        for (String host : parts.group(3).split(",", -1)) {
            nodes.add(parts.group(1) + "://" + user + host + parts.group(4));
        }
        return nodes;
    }

    /** Parses one URL. The exception of the client library is not attached as a cause, because it contains the whole URL. */
    private static RedisURI parsed(String url) {
        try {
            return RedisURI.create(url);
        } catch (RuntimeException e) {
            throw invalid("");
        }
    }

    private static IllegalArgumentException invalid(String why) {
        return new IllegalArgumentException(
                "url must be " + FORMS + "; encode special characters of a password, such as %40 for @" + why
                        + ". The URL is not shown, because it may contain a password");
    }

    /**
     * Rejects a URI without a host or with an invalid port, which the client library accepts: it reads a port that is not a number as
     * part of the host name.
     */
    private static RedisURI checked(RedisURI uri) {
        for (RedisURI one : hosts(uri)) {
            String host = one.getHost();
            if (host == null || (host.contains(":") && !IPV6.matcher(host).matches())) {
                throw invalid(host == null ? "; this one has no host" : "; its host or port is invalid");
            }
        }
        return uri;
    }

    private static List<RedisURI> hosts(RedisURI uri) {
        return uri.getSentinels().isEmpty() ? List.of(uri) : uri.getSentinels();
    }

    /** Returns only the hosts and ports, because the rest of the URL may contain a password. */
    @Override
    public String toString() {
        return uris().stream()
                .flatMap(uri -> hosts(uri).stream())
                .map(host -> host.getHost() + ":" + host.getPort())
                .collect(Collectors.joining(","));
    }
}
