package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a reloader evaluates when its source fails or changes. */
class ShadowReloaderTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private final Source source = new Source();
    private final PolicyReloader reloader = PolicyReloader.start(engine, source);

    /** A source whose versions a test sets. */
    private static final class Source implements PolicySource {

        private volatile PolicyDocument current = document("1-a", 100);
        private volatile Supplier<Optional<PolicyDocument>> shadow = Optional::empty;
        private volatile Error thrown = new Error("none");
        private volatile boolean isThrown;
        private final AtomicInteger reports = new AtomicInteger();

        @Override
        public String name() {
            return "test";
        }

        @Override
        public PolicyDocument read() {
            return current;
        }

        @Override
        public Optional<PolicyDocument> shadow() {
            return shadow.get();
        }

        @Override
        public void watch(Runnable changed) {
            // Tests reload.
        }

        @Override
        public void report(PolicyStatus status) {
            reports.incrementAndGet();
            if (isThrown) {
                throw thrown;
            }
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    @AfterEach
    void close() {
        reloader.close();
        engine.close();
    }

    private static PolicyDocument document(String version, long permits) {
        return new PolicyDocument(version, List.of(new PolicyDocument.Text("api.yaml", """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits))));
    }

    private void setShadow(PolicyDocument document) {
        source.shadow = () -> Optional.of(document);
    }

    private void failShadow() {
        source.shadow = () -> {
            throw new ConfigException(List.of("the texts are damaged"));
        };
    }

    private PolicyPreview preview() {
        return reloader.reload().preview().orElseThrow();
    }

    @Test
    void a_shadow_version_that_cannot_be_read_is_reported() {
        failShadow();
        assertThat(preview().problem()).contains("cannot be read: the texts are damaged");
        setShadow(document("1-b", 1));
        assertThat(preview().problem()).isEmpty();
        assertThat(preview().version()).isEqualTo("1-b");
        source.shadow = Optional::empty;
        assertThat(reloader.reload().preview()).isEmpty();
    }

    @Test
    void a_shadow_version_that_can_no_longer_be_read_is_compared_with_the_version_in_force() {
        setShadow(document("1-b", 1));
        assertThat(preview().comparedWith()).isEqualTo("1-a");
        failShadow();
        source.current = document("2-a", 2);
        PolicyPreview failed = preview();
        assertThat(failed.problem()).isPresent();
        assertThat(failed.comparedWith()).isEqualTo("2-a");
        reloader.registry().limiter("api").tryAcquire("alice");
        reloader.registry().limiter("api").tryAcquire("alice");
        reloader.registry().limiter("api").tryAcquire("alice");
        Await.until("copies", LONG, () -> requests() == 3);
        assertThat(reloader.status()
                        .preview()
                        .orElseThrow()
                        .policies()
                        .get(0)
                        .outcomes()
                        .denied())
                .isEqualTo(1);
        setShadow(document("1-b", 1));
        assertThat(preview().problem()).isEmpty();
        assertThat(requests()).isEqualTo(3);
    }

    private long requests() {
        return reloader.status().preview().orElseThrow().policies().get(0).requests();
    }

    @Test
    void another_version_with_equal_policies_continues_the_counts() {
        setShadow(document("1-b", 1));
        reloader.reload();
        reloader.registry().limiter("api").tryAcquire("alice");
        Await.until("copies", LONG, () -> requests() == 1);
        source.current = document("2-a", 100);
        assertThat(preview().comparedWith()).isEqualTo("2-a");
        assertThat(requests()).isEqualTo(1);
    }

    @Test
    void any_failure_of_an_evaluation_is_reported() {
        source.shadow = () -> {
            throw new IllegalStateException("a fault");
        };
        assertThat(preview().problem()).contains("cannot be read: java.lang.IllegalStateException: a fault");
        setShadow(new PolicyDocument("1-b", List.of(new PolicyDocument.Text("api.yaml", "policies: 1"))));
        assertThat(preview().problem().orElse("")).startsWith("api.yaml:1:");
        assertThat(preview().problem()).isPresent();
    }

    @Test
    void copies_are_sent_after_an_error_in_a_report() {
        setShadow(document("1-b", 1));
        // The sender of another test may still be about to end.
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        reloader.reload();
        Thread sender = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("headgate-shadow") && !before.contains(thread))
                .findFirst()
                .orElseThrow();
        AtomicInteger errors = new AtomicInteger();
        sender.setUncaughtExceptionHandler((thread, error) -> errors.incrementAndGet());
        source.isThrown = true;
        Await.until("error", LONG, () -> errors.get() > 0);
        source.isThrown = false;
        reloader.registry().limiter("api").tryAcquire("alice");
        Await.until("copies", LONG, () -> requests() == 1);
        source.shadow = Optional::empty;
        reloader.reload();
        Await.until("end", LONG, () -> !sender.isAlive());
    }
}
