package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.QueueEngine;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.HeadgateConfigurationException;
import io.headgate.spring.queues.internal.QueuesAutoConfiguration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;

/** Tests that errors in the configuration of queues and listeners fail the start. */
class ListenerSettingsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HeadgateAutoConfiguration.class, QueuesAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class));

    static class Texts {

        @QueueListener(queue = "texts", id = "texts")
        void text(String text) {}
    }

    /** Listeners with errors. */
    static class Wrong {

        @QueueListener(queue = "no name")
        void name(String text) {}

        @QueueListener(queue = "a", concurrency = "0", lease = "5", attempts = "x", backoff = "1h", longestBackoff = "1m")
        void numbers(String text) {}

        @QueueListener(queue = "${no.such.property}")
        void placeholder(String text) {}

        @QueueListener(queue = "b")
        @SuppressWarnings({"UnusedMethod", "UnusedVariable"})
        private void hidden(String text) {}

        @QueueListener(queue = "c")
        final void fixed(String text) {}

        @QueueListener(queue = "d")
        void two(String text, String header) {}

        @QueueListener(queue = "e")
        void object(Job<Texts> job) {}

        @QueueListener(queue = "f")
        Future<Void> future(String text) {
            throw new UnsupportedOperationException();
        }

        @QueueListener(queue = "g", id = "same")
        @StreamListener(stream = "g", group = "g", id = "same", lease = "2m")
        void both(String text) {}

        @QueueListener(queue = "h")
        CompletionStage<Void> header(@JobHeader("lock") Lock lock, @JobHeader(value = "n", required = false) int number) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void without_listeners_an_unknown_id_is_an_error_that_says_how_to_declare_one() {
        application.run(context -> assertThatThrownBy(
                        () -> context.getBean(QueueListeners.class).start("mails"))
                .hasMessage("there is no listener mails; annotate a method of a bean, for example with @QueueListener"));
    }

    @Test
    void all_problems_of_listeners_are_listed() {
        application.withBean(Wrong.class).run(context -> assertThat(context.getStartupFailure())
                .isInstanceOf(ConfigException.class)
                .satisfies(thrown -> assertThat(thrown.getMessage())
                        .contains("Wrong.name(String): @QueueListener.queue: ")
                        .contains("Wrong.numbers(String): @QueueListener.concurrency: must be from 1 to 10000, but was 0")
                        .contains("@QueueListener.lease: must be a duration with its unit, such as 30s, but was 5")
                        .contains("@QueueListener.attempts: must be a number, but was x")
                        .contains("longest wait must be at least base, PT1H, was PT1M")
                        .contains("Wrong.placeholder(String): @QueueListener.queue: Could not resolve placeholder 'no.such.property'")
                        .contains("Wrong.hidden(String): @QueueListener: is on a method that is private, static or final")
                        .contains("Wrong.fixed(String): @QueueListener: is on a method that is private, static or final")
                        .contains("Wrong.two(String, String): @QueueListener: is on a method with 2 payloads; mark headers")
                        .contains("Wrong.object(Job): @QueueListener: parameter 0: a payload of the type ")
                        .contains("needs Jackson, for example of spring-boot-starter-json, or a bean of the type PayloadConverter")
                        .contains("Wrong.future(String): @QueueListener: is on a method that returns java.util.concurrent.Future")
                        .contains("is same, as that of ")
                        .contains("@StreamListener.lease: must be at most the min-idle of the group, PT1M, but was PT2M")
                        .contains("parameter 0: a header cannot be converted to java.util.concurrent.locks.Lock")
                        .contains("parameter 1: a header that is not required cannot be of the type int")));
    }

    /** Listeners of dead letters with errors. */
    static class WrongDeadLetters {

        @DeadLetterListener
        void nothing(String text) {}

        @DeadLetterListener(queue = "a", stream = "a", group = "a", id = "both")
        void both(String text) {}

        @DeadLetterListener(stream = "a", id = "stream")
        void stream(String text) {}

        @DeadLetterListener(queue = "no name")
        void name(String text) {}

        @DeadLetterListener(queue = "a-name-of-fifty-letters-which-is-longer-than-49xxx")
        void longName(String text) {}

        @DeadLetterListener(queue = "b")
        void acknowledged(String text, Acknowledgement acknowledgement) {}

        @DeadLetterListener(queue = "b")
        void twice(String text) {}

        @QueueListener(queue = "c")
        void living(DeadLetter<String> dead) {}

        @DeadLetterListener(queue = "d..e")
        void dots(String text) {}

        @DeadLetterListener(stream = "d.", group = "e")
        void dotAtTheEnd(String text) {}

        @DeadLetterListener(stream = "d.e", group = "f.g")
        void unambiguous(String text) {}
    }

    @Test
    void all_problems_of_listeners_of_dead_letters_are_listed() {
        application.withBean(WrongDeadLetters.class).run(context -> assertThat(context.getStartupFailure())
                .isInstanceOf(ConfigException.class)
                .satisfies(thrown -> assertThat(thrown.getMessage())
                        .contains("WrongDeadLetters.nothing(String): @DeadLetterListener: needs either queue, or stream and group")
                        .contains("WrongDeadLetters.both(String): @DeadLetterListener: needs either queue, or stream and group")
                        .contains("WrongDeadLetters.stream(String): @DeadLetterListener: needs either queue, or stream and group")
                        .contains("WrongDeadLetters.name(String): @DeadLetterListener.queue: ")
                        .contains("WrongDeadLetters.longName(String): @DeadLetterListener.queue: must have at most 49 characters")
                        .contains("is on a method with an Acknowledgement; a dead letter has a DeadLetterAcknowledgement")
                        .contains("receives the same dead letters as ")
                        .contains("WrongDeadLetters.dots(String): @DeadLetterListener: must not have two consecutive dots")
                        .contains("WrongDeadLetters.dotAtTheEnd(String): @DeadLetterListener: must not have two consecutive dots")
                        .doesNotContain("unambiguous")
                        .contains("WrongDeadLetters.living(DeadLetter): @QueueListener: is on a method with a parameter of")));
    }

    /** Listeners of batches with errors. */
    static class WrongBatches {

        @QueueListener(queue = "a", batch = "0")
        void none(List<String> texts) {}

        @QueueListener(queue = "b", batch = "400", concurrency = "26", batchWait = "2m")
        void many(List<String> texts) {}

        @QueueListener(queue = "c", batch = "5")
        void single(String text) {}

        @QueueListener(queue = "d", batch = "5")
        void header(List<String> texts, @JobHeader("x") String header) {}

        @QueueListener(queue = "e")
        void missing(List<Job<String>> jobs) {}

        @QueueListener(queue = "f", batchWait = "1s")
        void waits(String text) {}

        @QueueListener(queue = "h", batch = "${no.such.batch:}")
        void empty(List<String> texts) {}

        @StreamListener(stream = "g", group = "g", batch = "x")
        @SuppressWarnings("rawtypes")
        void raw(List jobs) {}
    }

    @Test
    void all_problems_of_listeners_of_batches_are_listed() {
        application.withBean(WrongBatches.class).run(context -> assertThat(context.getStartupFailure())
                .isInstanceOf(ConfigException.class)
                .satisfies(thrown -> assertThat(thrown.getMessage())
                        .contains("WrongBatches.none(List): @QueueListener.batch: must be from 1 to 500, but was 0")
                        .contains("WrongBatches.many(List): @QueueListener.batch: must be at most 10000 divided by the concurrency of 26, but was 400")
                        .contains("WrongBatches.many(List): @QueueListener.batchWait: must be from 0 to 1 minute, but was PT2M")
                        .contains("WrongBatches.single(String): @QueueListener: has a batch, and so needs a method whose only parameter is a List")
                        .contains("WrongBatches.header(List, String): @QueueListener: has a batch, and so needs a method")
                        .contains("WrongBatches.missing(List): @QueueListener: is on a method with a List of jobs; set batch")
                        .contains("WrongBatches.waits(String): @QueueListener.batchWait: needs batch")
                        .contains("WrongBatches.empty(List): @QueueListener.batch: must be a number, but ${no.such.batch:} is empty")
                        .contains("WrongBatches.raw(List): @StreamListener.batch: must be a number, but was x")
                        .contains("WrongBatches.raw(List): @StreamListener: has a batch, and so needs a method")));
    }

    @Test
    void listeners_need_a_singleton() {
        application
                .withBean(Texts.class, Texts::new, definition -> definition.setScope("prototype"))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("has listeners, but the bean ")
                        .hasStackTraceContaining("is no singleton; remove its scope"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            declared.mails.shards=99            | headgate.queues.declared.mails.shards: shards must be from 1 to 64
            declared.mails.max-jobs=0           | headgate.queues.declared.mails.max-jobs: maxJobs must be from 1 to
            declared.[no name].shards=1         | headgate.queues.declared.no name: name
            declared.mails.keep-done-for=0s     | headgate.queues.declared.mails.keep-done-for
            declared.mails.max-payload-size=1MB | headgate.queues.declared.mails.max-payload-size: maxPayloadBytes
            streams.orders.max-length=0         | headgate.queues.streams.orders.max-length: maxLength must be from 1
            streams.orders.groups.a.min-idle=1ms | headgate.queues.streams.orders.groups.a.min-idle
            declared.mails.max-job=1            | max-job
            listener.concurency=1               | concurency
            """)
    void a_wrong_property_fails_the_start(String property, String problem) {
        application
                .withPropertyValues("headgate.queues." + property)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(problem));
    }

    @Test
    void an_application_with_listeners_needs_redis() {
        application.withBean(Texts.class).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(HeadgateConfigurationException.class)
                .hasMessage("The application uses queues, which need Redis, but it configures none."));
    }

    @Test
    void validation_and_transactions_are_not_required() {
        application
                .withClassLoader(new FilteredClassLoader("jakarta.validation", "org.springframework.transaction"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("headgatePayloadCheck"));
    }

    @Test
    void an_application_without_queues_has_no_engine_of_queues() {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(QueueListeners.class).ids()).isEmpty();
            assertThat(context.getBeanFactory().containsSingleton("headgateQueueEngine")).isFalse();
            assertThat(context.getBeanFactory().getBeanNamesForType(QueueEngine.class, true, false)).hasSize(1);
        });
    }

    @Test
    void a_listener_that_does_not_start_with_the_application_is_stopped() throws Exception {
        List<PropertySource<?>> yaml =
                new YamlPropertySourceLoader().load("guide", new ClassPathResource("guide/queues.yaml"));
        application
                .withInitializer(context -> yaml.forEach(context.getEnvironment().getPropertySources()::addLast))
                .withPropertyValues(
                        "headgate.queues.listener.auto-startup=false",
                        "headgate.redis.url=redis://localhost:1",
                        "headgate.redis.timeout=50ms")
                .withBean(Texts.class)
                .run(context -> assertThat(context.getBean(QueueListeners.class).state("texts"))
                        .isEqualTo(QueueListeners.State.STOPPED));
    }
}
