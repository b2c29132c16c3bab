package io.headgate.server.doctor;

import static io.headgate.server.cli.Finding.note;
import static io.headgate.server.cli.Finding.ok;
import static io.headgate.server.cli.Finding.problem;
import static io.headgate.server.cli.Finding.unavailable;
import static io.headgate.server.cli.Finding.warning;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks the version, role, Cluster mode and clients of a Redis. */
final class DoctorServer {

    private static final Pattern SINCE_6_2 = Pattern.compile("6\\.([2-9]|\\d\\d)|[7-9]\\.|\\d\\d+\\.");

    private DoctorServer() {}

    /**
     * Runs the checks.
     *
     * @param asCluster whether the URL is that of a Cluster
     */
    static List<Finding> check(RedisInspector redis, boolean asCluster) {
        List<Finding> findings = new ArrayList<>();
        findings.add(redis.info("server").map(DoctorServer::version).orElseGet(() -> unavailable("version", "INFO")));
        findings.add(redis.info("replication")
                .map(section -> role(section, asCluster))
                .orElseGet(() -> unavailable("role", "INFO")));
        findings.add(redis.info("cluster")
                .map(section -> DoctorCluster.check(redis, "1".equals(section.get("cluster_enabled")), asCluster))
                .orElseGet(() -> unavailable("cluster", "INFO")));
        findings.add(clients(redis));
        return findings;
    }

    private static Finding version(Map<String, String> server) {
        if (server.containsKey("valkey_version")) {
            return ok("version", "Valkey " + server.get("valkey_version"));
        }
        String version = server.get("redis_version");
        if (version == null) {
            return unavailable("version", "INFO");
        }
        return SINCE_6_2.matcher(version).lookingAt()
                ? ok("version", "Redis " + version)
                : problem("version", "Redis " + version, "upgrade: Headgate needs Redis 6.2 or newer, or Valkey");
    }

    private static Finding role(Map<String, String> replication, boolean asCluster) {
        if (asCluster && !"master".equals(replication.get("role"))) {
            return ok("role", "a replica, through which Headgate finds the masters");
        }
        if (!"master".equals(replication.get("role"))) {
            return problem(
                    "role",
                    "a replica of " + replication.get("master_host") + ":" + replication.get("master_port")
                            + "; it rejects writes, so no limit can count",
                    "give the address of the primary");
        }
        String replicas = replication.getOrDefault("connected_slaves", "0");
        return replicas.equals("0")
                ? note(
                        "role",
                        "primary without replicas",
                        "nothing to do if counts may be lost with this machine; with a replica, a failover loses only what the replica had not received")
                : ok(
                        "role",
                        "primary with " + Words.count(replicas, "replica")
                                + "; a failover loses what they have not received");
    }

    private static Finding clients(RedisInspector redis) {
        Optional<Double> connected = redis.number("clients", "connected_clients");
        Optional<Double> most = redis.number("clients", "maxclients")
                .or(() -> redis.setting("maxclients").map(Double::valueOf));
        if (connected.isEmpty() || most.isEmpty()) {
            return unavailable("clients", "INFO");
        }
        String found = "%.0f connected of at most %.0f".formatted(connected.get(), most.get());
        double share = connected.get() / most.get();
        if (share < 0.8) {
            return ok("clients", found);
        }
        String advice =
                "raise maxclients, or find the clients that leak connections: CLIENT LIST; each Headgate engine needs a few";
        return share < 0.95 ? warning("clients", found, advice) : problem("clients", found, advice);
    }
}
