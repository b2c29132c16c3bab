package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Tests that no failure in a call with several jobs loses a job or a call, on a real Redis. */
@Timeout(300)
class BatchFailuresIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ListenerApplication APPLICATION = new ListenerApplication(Failures.class);

    private final Received received = APPLICATION.received();

    /** A payload of a converter that throws a checked exception, as one in Kotlin may. */
    record Word(String text) {}

    @Configuration(proxyBeanMethods = false)
    @Import(Listeners.class)
    static class Failures {

        @Bean
        PayloadConverter words() {
            return new PayloadConverter() {
                @Override
                public byte[] toBytes(Object payload) {
                    return payload.toString().getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public Object fromBytes(byte[] bytes, Type type) {
                    String text = new String(bytes, StandardCharsets.UTF_8);
                    if (text.equals("unreadable")) {
                        BatchFailuresIT.<RuntimeException>throwUnchecked(new IOException("end of file"));
                    }
                    return new Word(text);
                }
            };
        }

        @Bean
        WorkerListener losses(Received received) {
            return new WorkerListener() {
                @Override
                public void onLeaseLost(JobId id) {
                    received.add("losses", id.value());
                }
            };
        }

        /** Fails once, when the call with several jobs starts. */
        @Bean
        ObservationHandler<Observation.Context> failing(Received received) {
            return new ObservationHandler<>() {
                @Override
                public void onStart(Observation.Context context) {
                    if (received.release().tryAcquire()) {
                        throw new AssertionError("no trace");
                    }
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return String.valueOf(context.getName()).equals("headgate.jobs.process");
                }
            };
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    static class Listeners {

        private final Received received;

        Listeners(Received received) {
            this.received = received;
        }

        @QueueListener(queue = "words", batch = "2", concurrency = "1", batchWait = "10s", attempts = "1")
        void words(List<Word> words) {
            words.forEach(word -> received.add("words", word.text() + " of " + words.size()));
        }

        @QueueListener(queue = "word")
        void word(Word word) {
            received.add("word", word.text());
        }

        @QueueListener(queue = "stages", batch = "2", batchWait = "10s", attempts = "1")
        CompletionStage<Void> stages(List<String> texts) {
            return CompletableFuture.failedFuture(new CompletionException("no cause", null));
        }

        @QueueListener(queue = "lost", batch = "2", concurrency = "1", batchWait = "30s", lease = "2s")
        void lost(List<String> texts) {
            received.add("lost", texts.toString());
        }
    }

    private static List<String> awaitCauses(String queue, int count) {
        Await.until(count + " dead letters of " + queue, PATIENCE, () -> APPLICATION.causes(queue).size() == count);
        return APPLICATION.causes(queue);
    }

    @Test
    void an_error_outside_of_the_method_fails_all_jobs_and_frees_the_call() {
        received.release().release();
        APPLICATION.enqueue("words", "a", "b");
        assertThat(awaitCauses("words", 2)).allMatch(cause -> cause.contains("no trace"));

        APPLICATION.enqueue("words", "c", "d");
        received.await("words", "d of 2");

        APPLICATION.enqueue("words", "unreadable", "e");
        received.await("words", "e of 1");
        assertThat(awaitCauses("words", 3)).anyMatch(cause -> cause.contains("end of file"));
        assertThat(received.of("words")).containsExactlyInAnyOrder("c of 2", "d of 2", "e of 1");
    }

    @Test
    void a_payload_whose_converter_throws_a_checked_exception_makes_its_job_a_dead_letter_at_once() {
        APPLICATION.enqueue("word", "unreadable");
        assertThat(awaitCauses("word", 1).get(0)).contains("the payload cannot be converted to ").contains("end of file");
        assertThat(received.of("word")).isEmpty();
    }

    @Test
    void a_failure_without_a_cause_fails_all_jobs() {
        APPLICATION.enqueue("stages", "a", "b");
        assertThat(awaitCauses("stages", 2)).allMatch(cause -> cause.contains("no cause"));
    }

    @Test
    void a_job_whose_lease_is_lost_while_it_waits_is_not_in_a_call() {
        JobId lost = APPLICATION.queue("lost").enqueue("a").id();
        Await.until("a lease", PATIENCE, () -> APPLICATION.queue("lost").counts().leased() == 1);
        deleteKeys("lost");
        received.await("losses", lost.value());

        APPLICATION.enqueue("lost", "b", "c");
        received.await("lost", "[b, c]");
    }

    /** Deletes the jobs of a queue, as a Redis that has lost its data. */
    private static void deleteKeys(String queue) {
        RedisClient client = RedisClient.create(RedisServer.shared().url());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            List<String> keys = connection.sync().keys(APPLICATION.prefix() + "*" + queue + "*");
            assertThat(keys).isNotEmpty();
            connection.sync().del(keys.toArray(String[]::new));
        } finally {
            client.shutdown();
        }
    }
}
