package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.ConfigException;
import io.headgate.config.settings.RedisConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Tests the metadata of properties, which editors use for completion. */
class MetadataTest {

    @Test
    void each_setting_of_redis_has_a_type_and_a_description_and_there_are_no_others() throws IOException {
        ConfigException unknown = catchThrowableOfType(
                ConfigException.class, () -> RedisConfig.fromProperties(Map.of("unknown", "x"), ""));
        String allowed = unknown.problems().get(0).replaceAll("(?s).*Allowed: ", "");

        assertThat(properties().keySet().stream()
                        .filter(name -> name.startsWith(HeadgateEnvironment.REDIS_PREFIX))
                        .map(name -> name.substring(HeadgateEnvironment.REDIS_PREFIX.length())))
                .containsExactlyInAnyOrder(allowed.split(", "));
    }

    @Test
    void the_settings_of_the_engine_and_the_policies_are_described() throws IOException {
        assertThat(properties()).containsKeys("headgate.engine", "headgate.policies", "headgate.policies-from");
        assertThat(properties().get("headgate.engine"))
                .containsEntry("defaultValue", "auto")
                .containsEntry("description", "Where limits are counted.");
    }

    /** The properties of Headgate by name. Each has a type and a description. */
    private static Map<String, Map<String, Object>> properties() throws IOException {
        Map<String, Map<String, Object>> properties = new TreeMap<>();
        for (Resource resource :
                new PathMatchingResourcePatternResolver().getResources("classpath*:META-INF/spring-configuration-metadata.json")) {
            Map<String, Object> json =
                    JsonParserFactory.getJsonParser().parseMap(resource.getContentAsString(StandardCharsets.UTF_8));
            for (Object one : (List<?>) json.getOrDefault("properties", List.of())) {
                Map<String, Object> property = new TreeMap<>();
                ((Map<?, ?>) one).forEach((key, value) -> property.put((String) key, value));
                String name = String.valueOf(property.get("name"));
                if (name.startsWith("headgate.")) {
                    assertThat(property).containsKeys("type", "description");
                    properties.put(name, property);
                }
            }
        }
        return properties;
    }
}
