package io.headgate.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import io.headgate.queues.DeadLetter;
import io.headgate.spring.queues.BatchJob;
import io.headgate.spring.queues.DeadLetterListener;
import io.headgate.spring.queues.QueueListener;
import io.headgate.spring.queues.StreamListener;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;

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

    record Payload(int number) {}

    record DeadPayload(int number) {}

    record BatchPayload(int number) {}

    record ListedPayload(int number) {}

    static class Listeners {

        @QueueListener(queue = "a")
        void payload(Payload payload) {}

        @DeadLetterListener(queue = "a")
        void dead(DeadLetter<DeadPayload> dead) {}

        @QueueListener(queue = "b", batch = "2")
        void jobs(List<BatchJob<BatchPayload>> jobs) {}

        @StreamListener(stream = "c", group = "c", batch = "2")
        void list(List<ListedPayload> payloads) {}
    }

    @Test
    void listeners_are_called_and_their_payloads_converted_in_a_native_image() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("listeners", new RootBeanDefinition(Listeners.class));
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(RuntimeHintsTest.class)), new InMemoryGeneratedFiles());
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(BeanRegistrationAotProcessor.class)
                .stream()
                .filter(processor -> processor.getClass().getName().startsWith("io.headgate.spring.queues"))
                .map(processor -> processor.processAheadOfTime(RegisteredBean.of(beans, "listeners")))
                .forEach(contribution -> Objects.requireNonNull(contribution).applyTo(generation, unusedCode()));

        RuntimeHints generated = generation.getRuntimeHints();
        assertThat(Objects.requireNonNull(generated.reflection().getTypeHint(Listeners.class))
                        .getMemberCategories())
                .contains(MemberCategory.INVOKE_DECLARED_METHODS);
        assertThat(List.of(Payload.class, DeadPayload.class, BatchPayload.class, ListedPayload.class))
                .allSatisfy(type -> assertThat(generated.reflection().getTypeHint(type)).isNotNull());
        assertThat(generated.reflection().getTypeHint(BatchJob.class)).isNull();
    }

    private static BeanRegistrationCode unusedCode() {
        return (BeanRegistrationCode) Proxy.newProxyInstance(
                RuntimeHintsTest.class.getClassLoader(), new Class<?>[] {BeanRegistrationCode.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
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
