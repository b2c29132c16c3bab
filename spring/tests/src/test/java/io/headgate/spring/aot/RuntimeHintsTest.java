package io.headgate.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

class RuntimeHintsTest {

    private final RuntimeHints hints = hints();

    @Test
    void every_script_is_in_a_native_image() throws IOException {
        Resource[] scripts =
                new PathMatchingResourcePatternResolver().getResources("classpath*:io/headgate/redis/**/*.lua");
        List<String> paths = Arrays.stream(scripts)
                .map(script -> script.getDescription().replaceFirst(".*(io/headgate/redis/.*\\.lua).*", "$1"))
                .toList();

        assertThat(paths).hasSizeGreaterThan(40).allMatch(path -> RuntimeHintsPredicates.resource()
                .forResource(path)
                .test(hints));
    }

    @Test
    void expressions_can_call_the_methods_of_requests() {
        assertThat(List.of(
                        "io.headgate.http.attributes.RequestView",
                        "io.headgate.spring.web.servlet.ServletWebRequest",
                        "io.headgate.spring.web.reactive.ExchangeRequest"))
                .allSatisfy(type -> assertThat(hints.reflection().getTypeHint(TypeReference.of(type)))
                        .isNotNull()
                        .satisfies(hint -> assertThat(hint.getMemberCategories())
                                .contains(MemberCategory.INVOKE_PUBLIC_METHODS)));
    }

    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.headgate."))
                .forEach(registrar -> registrar.registerHints(hints, RuntimeHintsTest.class.getClassLoader()));
        return hints;
    }
}
