package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.spring.internal.Problems;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.MergedAnnotations;

/** Finds the records to which Spring Boot will bind properties of Headgate, and checks these properties. */
final class PropertyRecords {

    private static final String POLICY_REGISTRY = "headgatePolicyRegistry";
    private static final String ENGINE = "headgateEngineInUse";
    private static final String AOT_PROCESSING = "spring.aot.processing";

    private PropertyRecords() {}

    /**
     * Checks the properties, unless the context is only processed ahead of time, when the properties of its runs are unknown.
     *
     * @throws ConfigException if a name is unknown or a value is malformed; lists the first 20 problems, and counts the others
     */
    static void check(HeadgateEnvironment environment, ConfigurableListableBeanFactory beans) {
        if (Boolean.getBoolean(AOT_PROCESSING)) {
            return;
        }
        Problems problems = new Problems();
        if (beans.containsBeanDefinition(POLICY_REGISTRY)) {
            problems.collect(environment::checkPolicies);
        }
        environment.checkEnabled(problems);
        if (beans.containsBeanDefinition(ENGINE)) {
            problems.collect(environment::checkRedis);
        }
        problems.collect(() -> environment.checkRecords(!hasConverters(beans), records(beans)));
        problems.failIfAny();
    }

    /** Whether the application has converters for properties, by which other values may be valid. */
    private static boolean hasConverters(ConfigurableListableBeanFactory beans) {
        return beans.containsBeanDefinition(ConfigurableApplicationContext.CONVERSION_SERVICE_BEAN_NAME)
                || Stream.of(beans.getBeanDefinitionNames())
                        .anyMatch(name ->
                                beans.findAnnotationOnBean(name, ConfigurationPropertiesBinding.class, false) != null);
    }

    /** The types by their prefix. Spring Boot begins the names of such beans with the prefix. */
    private static Map<String, Class<?>> records(ConfigurableListableBeanFactory beans) {
        Map<String, Class<?>> records = new TreeMap<>();
        for (String name : beans.getBeanDefinitionNames()) {
            boolean ofHeadgate = name.startsWith(HeadgateProperties.PREFIX + ".")
                    || name.startsWith(HeadgateProperties.ENDPOINT + "-");
            Class<?> type = ofHeadgate ? beans.getType(name, false) : null;
            if (type != null && type.isRecord()) {
                MergedAnnotations.from(type).stream(ConfigurationProperties.class)
                        .findFirst()
                        .ifPresent(annotation -> records.put(annotation.getString("prefix"), type));
            }
        }
        return records;
    }
}
