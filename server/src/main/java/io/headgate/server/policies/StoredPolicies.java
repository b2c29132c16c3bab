package io.headgate.server.policies;

import io.headgate.config.sources.PolicyStore;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.server.consul.ConsulOptions;
import io.headgate.server.etcd.EtcdOptions;
import io.headgate.server.redis.RedisOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a command for policies in Redis, etcd or Consul: where they are. */
final class StoredPolicies {

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Mixin
    private EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private ConsulOptions consul = new ConsulOptions();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /** Where the policies are. */
    private enum Place {
        REDIS("--redis", "HEADGATE_REDIS"),
        ETCD("--etcd", "HEADGATE_ETCD"),
        CONSUL("--consul", "HEADGATE_CONSUL");

        private final String option;
        private final String variable;

        Place(String option, String variable) {
            this.option = option;
            this.variable = variable;
        }
    }

    /** Connects to the store of the policies. A URL on the command line replaces one in the environment. */
    PolicyStore connect() {
        return switch (place()) {
            case REDIS -> redis.policies();
            case ETCD -> etcd.policies(redis.givenKeyPrefix());
            case CONSUL -> consul.policies(redis.givenKeyPrefix());
        };
    }

    /** Connects to the audit log in the Redis that has the policies; empty if they are in etcd or Consul. */
    Optional<RedisAuditLog> auditLog() {
        return place() == Place.REDIS ? Optional.of(redis.auditLog()) : Optional.empty();
    }

    private Place place() {
        List<Place> given = new ArrayList<>();
        List<String> options = new ArrayList<>();
        for (Place place : Place.values()) {
            given(place).ifPresent(option -> {
                given.add(place);
                options.add(option);
            });
        }
        if (given.size() > 1) {
            throw wrong(options.get(0) + " cannot be combined with " + options.get(1)
                    + ", since the policies are in one of them; remove one");
        }
        return given.isEmpty() ? placeInEnvironment() : given.get(0);
    }

    private Optional<String> given(Place place) {
        return switch (place) {
            case REDIS -> Optional.of(place.option).filter(command.commandLine().getParseResult()::hasMatchedOption);
            case ETCD -> etcd.given();
            case CONSUL -> consul.given();
        };
    }

    private Place placeInEnvironment() {
        List<Place> set = new ArrayList<>();
        for (Place place : Place.values()) {
            boolean hasUrl =
                    switch (place) {
                        case REDIS -> redis.hasUrl();
                        case ETCD -> etcd.hasUrl();
                        case CONSUL -> consul.hasUrl();
                    };
            if (hasUrl) {
                set.add(place);
            }
        }
        if (set.size() > 1) {
            Place one = set.get(0);
            Place other = set.get(1);
            throw wrong(one.variable + " and " + other.variable + " are both set; give " + one.option + " URL or "
                    + other.option + " URL, which has the policies");
        }
        if (set.isEmpty() && !consul.hasAnyUrl()) {
            throw wrong("give the Redis, etcd or Consul that has the policies: --redis URL, --etcd URL or --consul URL,"
                    + " or the variable HEADGATE_REDIS, HEADGATE_ETCD or HEADGATE_CONSUL");
        }
        return set.isEmpty() ? Place.CONSUL : set.get(0);
    }

    /** A command for the same store, to copy and try. */
    String command(String words) {
        return switch (place()) {
            case REDIS -> redis.command(words);
            case ETCD -> etcd.command(words) + redis.prefixOption();
            case CONSUL -> consul.command(words) + redis.prefixOption();
        };
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
