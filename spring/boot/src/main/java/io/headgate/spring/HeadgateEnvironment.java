package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.ConfigNode;
import io.headgate.config.PolicyFile;
import io.headgate.config.settings.RedisConfig;
import io.headgate.config.settings.RedisEngineSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.internal.Spelling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The properties of an application that Headgate reads itself, with the places where they are set: the policies, and the settings of
 * Redis. Placeholders in their values are resolved.
 */
final class HeadgateEnvironment {

    static final String POLICIES_PATH = "headgate.policies";
    static final String REDIS_PREFIX = "headgate.redis.";

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(HeadgateProperties.PREFIX);
    private static final ConfigurationPropertyName POLICIES = ConfigurationPropertyName.of(POLICIES_PATH);
    private static final ConfigurationPropertyName REDIS = ROOT.append("redis");

    /** What is allowed under {@code headgate} besides {@link HeadgateProperties}. */
    private static final List<String> READ_ELSEWHERE =
            List.of("consul", "etcd", "outgoing", "policies", "queues", "redis", "web");

    /** What every endpoint of Actuator may have besides its own properties. */
    private static final List<String> OF_ALL_ENDPOINTS = List.of("access", "cache", "enabled");

    private static final String ENABLED = "headgate.enabled";
    private static final Set<String> OFF = Set.of("off", "no", "0");

    private final ConfigurableEnvironment environment;
    private final PropertySourcesPlaceholdersResolver placeholders;

    HeadgateEnvironment(ConfigurableEnvironment environment) {
        this.environment = environment;
        this.placeholders = new PropertySourcesPlaceholdersResolver(environment);
    }

    /** A property of a source. */
    private record Property(ConfigurationPropertyName name, String value, String origin) {}

    /** The settings of Redis: values by full names, and the place where each is set. */
    record RedisProperties(Map<String, String> values, Map<String, String> origins) {

        /** Names the settings only, as values may be passwords. */
        @Override
        public String toString() {
            return values.keySet().toString();
        }

        /** Whether a setting is set, in any spelling. */
        boolean has(String setting) {
            return values.keySet().stream().anyMatch(name -> letters(name.substring(REDIS_PREFIX.length()))
                    .equals(letters(setting)));
        }

        /** Checks the settings although no Redis is used, so that a misspelled url does not silently mean memory. */
        void requireValid() {
            boolean needsUrl = has("username") || has("password") || has("url");
            read(() -> needsUrl
                    ? RedisConfig.fromProperties(values, REDIS_PREFIX)
                    : RedisConfig.fromProperties(values, REDIS_PREFIX, RedisSettings.of("rediss://localhost")));
        }

        /**
         * Returns settings.
         *
         * @throws ConfigException if they are wrong; its problems have the places where settings are set
         */
        RedisEngineSettings read(Supplier<RedisEngineSettings> settings) {
            try {
                return settings.get();
            } catch (ConfigException e) {
                throw withOrigins(e);
            }
        }

        /** Adds the places where settings are set to the problems with them. */
        private ConfigException withOrigins(ConfigException e) {
            List<String> problems = e.problems().stream().map(this::withOrigin).toList();
            return new ConfigException(problems, e.further());
        }

        private String withOrigin(String problem) {
            int end = problem.indexOf(": ");
            String origin = end < 0 ? null : origins.get(problem.substring(0, end));
            return origin == null ? problem : problem.substring(0, end) + " (" + origin + ")" + problem.substring(end);
        }
    }

    /**
     * Checks the policies of the properties.
     *
     * @throws ConfigException if there are problems
     */
    void checkPolicies() {
        policies().ifPresent(given -> PolicyFile.read(given, POLICIES_PATH));
    }

    /**
     * Checks the settings of a Redis that has a URL. Others are checked together with the connection of the application.
     *
     * @throws ConfigException if there are problems
     */
    void checkRedis() {
        RedisProperties redis = redis();
        if (redis.has("url")) {
            redis.requireValid();
        }
    }

    /** Checks the switch of Headgate. */
    void checkEnabled(Problems problems) {
        // Conditions compare only with the text false, so Headgate would be active.
        String enabled = environment.getProperty(ENABLED, "true");
        if (OFF.contains(enabled.toLowerCase(Locale.ROOT))) {
            problems.add(ENABLED, "must be true or false, was " + enabled);
        }
    }

    /**
     * Checks the properties that Spring Boot binds to records.
     *
     * @param checkValues whether Spring Boot converts values without converters of the application
     * @param records the types of the records by their prefix, for example {@code headgate.web}
     * @throws ConfigException if a name is unknown or a value is malformed
     */
    void checkRecords(boolean checkValues, Map<String, Class<?>> records) {
        PropertyCheck check = new PropertyCheck(environment, checkValues);
        check.check(HeadgateProperties.PREFIX, HeadgateProperties.class, READ_ELSEWHERE);
        check.check(HeadgateProperties.ETCD, HeadgateProperties.Etcd.class, List.of());
        check.check(HeadgateProperties.CONSUL, HeadgateProperties.Consul.class, List.of());
        records.forEach((prefix, type) ->
                check.check(prefix, type, prefix.equals(HeadgateProperties.ENDPOINT) ? OF_ALL_ENDPOINTS : List.of()));
        check.failIfAny();
    }

    /** Returns the policies of {@code headgate.policies}; empty if there are none. */
    Optional<ConfigNode.Mapping> policies() {
        PropertyTree tree = new PropertyTree();
        List<IterableConfigurationPropertySource> lowestFirst = new ArrayList<>(sources());
        Collections.reverse(lowestFirst);
        int policy = POLICIES.getNumberOfElements();
        for (int i = 0; i < lowestFirst.size(); i++) {
            IterableConfigurationPropertySource source = lowestFirst.get(i);
            for (Property property : properties(source, POLICIES)) {
                // HEADGATE_POLICIES_FROM is another property, and Kubernetes sets variables with the names of services.
                if (!isEnvironment(source) || tree.has(property.name(), policy)) {
                    tree.add(property.name(), policy, property.value(), i + 1, property.origin());
                }
            }
        }
        return tree.isEmpty() ? Optional.empty() : Optional.of(tree.mapping());
    }

    /**
     * Returns the settings of {@code headgate.redis}. If sources spell a setting differently, the first source decides. Other variables
     * of the environment are ignored: Kubernetes sets {@code HEADGATE_REDIS_PORT} for a service named headgate-redis.
     */
    RedisProperties redis() {
        Map<String, String> values = new LinkedHashMap<>();
        Map<String, String> origins = new HashMap<>();
        Map<String, ConfigurationPropertySource> decided = new HashMap<>();
        for (IterableConfigurationPropertySource source : sources()) {
            for (Property property : properties(source, REDIS)) {
                String suffix = suffix(property.name());
                String name = REDIS_PREFIX + suffix;
                if (isEnvironment(source) && !RedisConfig.isSetting(suffix)) {
                    continue;
                }
                if (decided.computeIfAbsent(letters(name), first -> source) == source) {
                    values.put(name, property.value());
                    origins.put(name, property.origin());
                }
            }
        }
        return new RedisProperties(values, origins);
    }

    private static String suffix(ConfigurationPropertyName name) {
        StringBuilder text = new StringBuilder();
        for (int i = REDIS.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            text.append(text.isEmpty() ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
        }
        return text.toString();
    }

    private static String letters(String name) {
        // The environment has HEADGATE_REDIS_KEY_PREFIX for key-prefix, which is read as key.prefix.
        return Spelling.letters(name).replace(".", "");
    }

    /** Returns the settings of etcd. */
    HeadgateProperties.Etcd etcd() {
        return new HeadgateProperties.Etcd(
                text(HeadgateProperties.ETCD, "url"),
                text(HeadgateProperties.ETCD, "user"),
                text(HeadgateProperties.ETCD, "password"),
                text(HeadgateProperties.ETCD, "ca"),
                text(HeadgateProperties.ETCD, "client-certificate"),
                text(HeadgateProperties.ETCD, "client-key"),
                text(HeadgateProperties.ETCD, "key-prefix"));
    }

    /** Returns the settings of Consul. */
    HeadgateProperties.Consul consul() {
        return new HeadgateProperties.Consul(
                text(HeadgateProperties.CONSUL, "url"),
                text(HeadgateProperties.CONSUL, "token"),
                text(HeadgateProperties.CONSUL, "token-file"),
                text(HeadgateProperties.CONSUL, "ca"),
                text(HeadgateProperties.CONSUL, "client-certificate"),
                text(HeadgateProperties.CONSUL, "client-key"),
                text(HeadgateProperties.CONSUL, "key-prefix"));
    }

    private @Nullable String text(String prefix, String name) {
        return Binder.get(environment).bind(prefix + "." + name, String.class).orElse(null);
    }

    /** Whether a property, or one below it, has a value that is not empty. */
    boolean isSet(String name) {
        Binder binder = Binder.get(environment);
        BindResult<String> single = binder.bind(name, Bindable.of(String.class));
        return single.isBound()
                ? !single.get().isBlank()
                : binder.bind(name, Bindable.mapOf(String.class, Object.class)).isBound();
    }

    /** The sources with names that can be listed, the one with the highest precedence first. */
    private List<IterableConfigurationPropertySource> sources() {
        List<IterableConfigurationPropertySource> sources = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                sources.add(iterable);
            }
        }
        return sources;
    }

    private static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    /** The properties of a source below a name, in the order of the source. */
    private List<Property> properties(IterableConfigurationPropertySource source, ConfigurationPropertyName below) {
        return source.stream()
                .filter(below::isAncestorOf)
                .flatMap(name -> Optional.ofNullable(source.getConfigurationProperty(name)).stream()
                        .map(property -> new Property(name, value(property), origin(property))))
                .toList();
    }

    private String value(ConfigurationProperty property) {
        return String.valueOf(placeholders.resolvePlaceholders(property.getValue()));
    }

    private static String origin(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        return origin == null ? "" : origin.toString();
    }
}
