package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What every engine on Redis is told of its Redis, with the checks. Not safe for use by several threads. */
public final class ConnectionSettings {

    private static final Pattern IPV6 = Pattern.compile("\\[?[0-9A-Fa-f:.]+(%\\w+)?]?");
    private static final String FORMS = "redis://[[user]:password@]host[:port][/database],"
            + " redis-sentinel://[[user]:password@]host[:port],host[:port]...[/database]#name, or"
            + " redis-cluster://[[user]:password@]host[:port],host[:port]..., each with rediss for TLS";

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private RedisURI uri = RedisURI.create("redis://localhost:6379");
    private List<RedisURI> seeds = List.of();
    private boolean urlGiven;
    private @Nullable RedisClient client;
    private @Nullable RedisClusterClient clusterClient;
    private @Nullable Path trusted;
    private @Nullable Path certificate;
    private @Nullable Path certificateKey;
    private int maxCallsUnderWay = 16_384;
    private String keyPrefix = "hg";
    private Duration timeout = Duration.ofMillis(500);
    private Duration leastSilence = Duration.ofSeconds(5);
    private boolean connectionRequired = true;

    /** The default settings. */
    public ConnectionSettings() {}

    /** Connects there. */
    public void url(String url) {
        this.seeds = ClusterUrl.isOne(url) ? seeds(url) : List.of();
        this.uri = seeds.isEmpty() ? checked(parsed(url)) : seeds.get(0);
        this.urlGiven = true;
    }

    /** Of a Cluster's URL: each node that it names, as if it were one Redis. */
    private static List<RedisURI> seeds(String url) {
        List<RedisURI> nodes = ClusterUrl.nodes(url).stream()
                .map(node -> checked(parsed(node)))
                .toList();
        if (nodes.get(0).getDatabase() != 0) {
            throw notOne("; a Cluster has the database 0 only");
        }
        return nodes;
    }

    /** What the client library says of a URL that is none has all of it, the password included. */
    private static RedisURI parsed(String url) {
        try {
            return RedisURI.create(url);
        } catch (RuntimeException e) {
            throw notOne("");
        }
    }

    private static IllegalArgumentException notOne(String why) {
        return new IllegalArgumentException("url must be " + FORMS
                + ", with %40 for @ in a password, and so on; it is not told here, as it may have one" + why);
    }

    /** The client library takes a port that is no number for a part of the host's name, and has no host for several. */
    private static RedisURI checked(RedisURI uri) {
        List<RedisURI> hosts = uri.getSentinels().isEmpty() ? List.of(uri) : uri.getSentinels();
        for (RedisURI one : hosts) {
            String host = one.getHost();
            if (host == null || (host.contains(":") && !IPV6.matcher(host).matches())) {
                throw notOne(host == null ? "; it has no host" : "; its host or port is none");
            }
        }
        return uri;
    }

    /** Trusts whom these vouch for, and nobody else. */
    public void trustedCertificates(Path pem) {
        this.trusted = readable("trustedCertificates", pem);
    }

    /** Shows this certificate to a Redis that asks for one. */
    public void clientCertificate(Path pem, Path key) {
        this.certificate = readable("clientCertificate", pem);
        this.certificateKey = readable("key of clientCertificate", key);
    }

    private static Path readable(String what, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(what + " must be a file in PEM that can be read, was " + file);
        }
        return file;
    }

    /** Opens connections from the application's own client. */
    public void client(RedisClient own) {
        this.client = Objects.requireNonNull(own, "client");
    }

    /** Opens connections to the Cluster that the application's own client knows, as that would. */
    public void client(RedisClusterClient own) {
        this.clusterClient = Objects.requireNonNull(own, "client");
    }

    /** Begins every key with this: 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit. */
    public void keyPrefix(String prefix) {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"" + prefix
                            + "\"");
        }
        this.keyPrefix = prefix;
    }

    /** Gives up an answer after so long: 1 ms to 1 minute. */
    public void timeout(Duration longest) {
        if (longest.compareTo(Duration.ofMillis(1)) < 0 || longest.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 1 minute, was " + longest);
        }
        this.timeout = longest;
    }

    /** Lets so many calls wait for Redis at once: 1 to 1 000 000. */
    public void maxCallsUnderWay(int calls) {
        if (calls < 1 || calls > 1_000_000) {
            throw new IllegalArgumentException("maxCallsUnderWay must be from 1 to 1000000, was " + calls);
        }
        this.maxCallsUnderWay = calls;
    }

    /** After so long without a reply, but no less than the time-out, a connection is in doubt; for tests. */
    public void leastSilence(Duration least) {
        this.leastSilence = least;
    }

    /** Whether it is an error when Redis can't be reached at first; it is by default. */
    public void requireConnection(boolean required) {
        this.connectionRequired = required;
    }

    /** Whether it is an error that there is no connection at first, for that reason. */
    public boolean isFatal(Throwable problem) {
        return connectionRequired || RedisProblems.isRefusal(problem);
    }

    /** Whether it is an error when Redis can't be reached at first. */
    public boolean requiresConnection() {
        return connectionRequired;
    }

    /** What every key begins with. */
    public String keyPrefix() {
        return keyPrefix;
    }

    /** How long to wait for an answer. */
    public Duration timeout() {
        return timeout;
    }

    /** How many calls may wait for Redis at once. */
    public int maxCallsUnderWay() {
        return maxCallsUnderWay;
    }

    public RedisURI uri() {
        return uri;
    }

    @Nullable
    RedisClient client() {
        return client;
    }

    public @Nullable RedisClusterClient clusterClient() {
        return clusterClient;
    }

    /** The nodes of a Cluster that are asked first; none where it is no Cluster, or the application's client knows it. */
    public List<RedisURI> seeds() {
        return seeds;
    }

    public boolean isCluster() {
        return clusterClient != null || !seeds.isEmpty();
    }

    /** What TLS goes by; nothing special by default. */
    Optional<SslOptions> tls() {
        if (trusted == null && certificate == null) {
            return Optional.empty();
        }
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        if (trusted != null) {
            options.trustManager(trusted.toFile());
        }
        if (certificate != null && certificateKey != null) {
            options.keyManager(certificate.toFile(), certificateKey.toFile(), new char[0]);
        }
        return Optional.of(options.build());
    }

    Duration silence() {
        return timeout.compareTo(leastSilence) > 0 ? timeout : leastSilence;
    }

    /** Refuses what contradicts itself. */
    public void check() {
        if (client != null && clusterClient != null) {
            throw new IllegalStateException("give either a client or one of a Cluster, not both");
        }
        boolean own = client != null || clusterClient != null;
        if (urlGiven && own) {
            throw new IllegalStateException("give either a url or a client, which has a URL of its own; not both");
        }
        boolean tls = trusted != null || certificate != null;
        if (tls && own) {
            throw new IllegalStateException("a client has certificates of its own; give them with a url only");
        }
        if (tls && !uri.isSsl()) {
            throw new IllegalStateException(
                    "certificates are for TLS: the url must begin with rediss://, rediss-sentinel:// or rediss-cluster://");
        }
    }
}
