package io.headgate.redis.internal.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A URL that names nodes of a Cluster: {@code redis-cluster://[[user]:password@]host[:port],host[:port]...}. */
public final class ClusterUrl {

    private static final Pattern FORM =
            Pattern.compile("(rediss?)-cluster://([^@/?#]*@)?([^/?#]*)(.*)", Pattern.DOTALL);

    private ClusterUrl() {}

    /** Whether it begins as one. */
    public static boolean isOne(String url) {
        return FORM.matcher(url).matches();
    }

    /** The URL of each node that it names, as if that were one Redis; at least one. */
    public static List<String> nodes(String url) {
        Matcher parts = FORM.matcher(url);
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
}
