package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.spring.EngineSelection.PolicySourceInUse;
import java.util.List;
import org.springframework.util.ClassUtils;

/** Opens the policies in Redis, etcd or Consul. The clients of etcd and Consul are optional dependencies. */
final class PolicyStores {

    private static final String REDIS = "redis";
    private static final String ETCD = "etcd";
    private static final String CONSUL = "consul";

    /** A type that Netty has since 4.2. The client of etcd needs Netty 4.2. */
    private static final String NETTY_42 = "io.netty.channel.IoHandlerFactory";

    private PolicyStores() {}

    /** Whether a value of {@code headgate.policies-from} names a store. */
    static boolean isStore(String from) {
        return List.of(REDIS, ETCD, CONSUL).contains(from);
    }

    /**
     * Opens a store, for which {@link #isStore} returns true.
     *
     * @throws ConfigException if a setting is wrong
     * @throws HeadgateConfigurationException if a dependency is missing, or Redis rejects the connection
     */
    static PolicySourceInUse open(String from, EngineSelection engines, HeadgateEnvironment environment) {
        return switch (from) {
            case ETCD -> {
                requireArtifact(ETCD, "io.headgate.config.etcd.EtcdPolicyStore");
                requireNetty();
                yield new PolicySourceInUse(EtcdPolicies.open(environment.etcd()), () -> {});
            }
            case CONSUL -> {
                requireArtifact(CONSUL, "io.headgate.config.consul.ConsulPolicyStore");
                yield new PolicySourceInUse(ConsulPolicies.open(environment.consul()), () -> {});
            }
            case REDIS -> engines.policies();
            default -> throw new IllegalArgumentException("no store is named " + from);
        };
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, PolicyStores.class.getClassLoader());
    }

    private static void requireArtifact(String from, String type) {
        if (!isPresent(type)) {
            throw new HeadgateConfigurationException(
                    "headgate.policies-from is " + from + ", but headgate-config-" + from
                            + " is not on the class path.",
                    "Add the dependency io.headgate:headgate-config-" + from
                            + ", or read the policies from a file or from redis.");
        }
    }

    private static void requireNetty() {
        if (!isPresent(NETTY_42)) {
            throw new HeadgateConfigurationException(
                    "headgate.policies-from is etcd, but Netty on the class path is older than 4.2, which the client of etcd needs.",
                    "Set the property netty.version of Spring Boot's dependency management to a 4.2 version, and import"
                            + " io.grpc:grpc-bom; or read the policies from a file, redis or consul.");
        }
    }

    /** Explains that the libraries of the application do not fit together. */
    static HeadgateConfigurationException conflict(String from, LinkageError cause) {
        return new HeadgateConfigurationException(
                "headgate.policies-from is " + from
                        + ", but its client does not work with the libraries of the application: " + cause,
                "Align the versions of gRPC, Netty, OkHttp and Jackson, as docs/spring-operations.md of Headgate describes.",
                cause);
    }
}
