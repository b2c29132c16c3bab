package io.headgate.config.consul;

import static io.headgate.config.consul.PolicyTexts.apply;
import static io.headgate.config.consul.PolicyTexts.text;
import static io.headgate.config.consul.PolicyTexts.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.consul.ConsulStandIn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions of policies in Consul. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set by JUnit
class ConsulPolicyStoreTest {

    private static final String ROOT = "hg/config/policies";
    private static ConsulStandIn consul;
    private static ConsulProbe probe;

    private ConsulPolicyStore store;

    @BeforeAll
    static void start() {
        consul = ConsulStandIn.start();
        probe = new ConsulProbe(consul);
    }

    @AfterAll
    static void stop() {
        consul.close();
    }

    @BeforeEach
    void connect() {
        probe.delete("hg/");
        store = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void versions_have_numbers_digests_times_authors_and_reasons() {
        assertThat(store.history(100)).isEmpty();
        assertThatThrownBy(store::read)
                .isInstanceOf(ConfigException.class)
                .hasMessage(consul.url() + " " + ROOT + ": has no policies; write them with headgate policy apply");
        Instant before = Instant.now();
        String first = apply(store, text(2));
        String second = apply(store, text(3), new Text("é.yaml", "ü\n"));
        assertThat(first).isEqualTo("1-" + PolicyDocument.digest(List.of(text(2))));
        assertThat(second).startsWith("2-");
        assertThat(store.history(100)).extracting(PolicyVersion::version).containsExactly(second, first);
        PolicyVersion current = store.history(1).get(0);
        assertThat(current.by()).isEqualTo("alice");
        assertThat(current.reason()).isEqualTo("test");
        assertThat(current.writtenAt()).isBetween(before.minusMillis(1), Instant.now());
        assertThat(store.find("1").orElseThrow().texts()).containsExactly(text(2));
        assertThat(store.find(second).orElseThrow().texts()).containsExactly(text(3), new Text("é.yaml", "ü\n"));
        assertThat(store.read()).isEqualTo(store.find(second).orElseThrow());
        assertThat(store.read().writtenAt()).contains(current.writtenAt());
    }

    @Test
    void a_version_is_found_only_by_its_own_number_and_digest() {
        String first = apply(store, text(2));
        assertThat(store.find(first)).isPresent();
        assertThat(store.find("2")).isEmpty();
        assertThat(store.find("1-0123456789ab")).isEmpty();
        assertThatThrownBy(() -> store.find("current"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a version must be a number such as 17, or an id such as 17-3c9f0b6a41de, was \"current\"");
        assertThatThrownBy(() -> store.history(0)).hasMessage("max must be from 1 to 100, was 0");
        assertThatThrownBy(() -> store.history(101)).hasMessage("max must be from 1 to 100, was 101");
    }

    @Test
    void a_shadow_version_is_beside_the_current_one_and_ends_when_it_is_applied_or_discarded() {
        String current = apply(store, text(2));
        assertThat(store.shadow()).isEmpty();
        assertThat(store.discardShadow("1-0123456789ab")).isFalse();
        String shadow = applied(update(Optional.empty(), text(3)).inShadow());
        assertThat(store.shadow().orElseThrow().texts()).containsExactly(text(3));
        assertThat(store.find("shadow")).isEqualTo(store.shadow());
        assertThat(store.apply(update(Optional.empty(), text(4)).inShadow()))
                .isEqualTo(new PolicyUpdate.Result(false, store.shadowVersion()));
        String other = applied(update(Optional.of(shadow), text(4)).inShadow());
        assertThat(store.discardShadow(shadow)).isFalse();
        assertThat(store.shadow().map(PolicyDocument::version)).contains(other);
        assertThat(store.history(100)).extracting(PolicyVersion::version).containsExactly(current);
        assertThat(store.discardShadow(other)).isTrue();
        assertThat(store.shadow()).isEmpty();
        assertThat(store.shadowVersion()).isEmpty();
        applied(update(Optional.empty(), text(5)).inShadow());
        apply(store, text(6));
        assertThat(store.shadowVersion()).isPresent();
        apply(store, text(5));
        assertThat(store.shadowVersion()).isEmpty();
        assertThat(store.read().texts()).containsExactly(text(5));
    }

    private String applied(PolicyUpdate update) {
        PolicyUpdate.Result result = store.apply(update);
        assertThat(result.applied()).isTrue();
        return result.current().orElseThrow().version();
    }

    @Test
    void a_process_evaluates_a_shadow_version_and_reports_its_counts() {
        apply(store, text(9));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader =
                        PolicyReloader.start(engine, ConsulPolicyStore.connect(ConsulSettings.of(consul.url())))) {
            String shadow = applied(update(Optional.empty(), text(3)).inShadow());
            Await.until("evaluation", Duration.ofSeconds(60), () -> evaluated().contains(shadow));
            for (int i = 0; i < 5; i++) {
                assertThat(reloader.registry()
                                .limiter("api")
                                .tryAcquire("alice")
                                .allowed())
                        .isTrue();
            }
            Await.until("counts", Duration.ofSeconds(60), () -> store.previews().stream()
                    .flatMap(instance -> instance.preview().stream())
                    .flatMap(preview -> preview.policies().stream())
                    .anyMatch(policy -> policy.outcomes().newlyDenied() == 2));
            assertThat(store.discardShadow(shadow)).isTrue();
            Await.until("end", Duration.ofSeconds(60), () -> evaluated().isEmpty());
            assertThat(store.instances()).hasSize(1);
        }
    }

    private List<String> evaluated() {
        return store.previews().stream()
                .flatMap(instance -> instance.preview().stream())
                .map(PolicyPreview::version)
                .toList();
    }

    @Test
    void texts_are_read_only_when_the_version_changes() {
        apply(store, text(2));
        assertThat(store.read()).isSameAs(store.read());
        String second = apply(store, text(3));
        assertThat(store.read().version()).isEqualTo(second);
    }

    @Test
    void an_update_of_another_version_is_not_applied_and_leaves_nothing() {
        assertThat(store.apply(update(Optional.of("1-0123456789ab"), text(1))))
                .isEqualTo(new PolicyUpdate.Result(false, Optional.empty()));
        String first = apply(store, text(2));
        String second = apply(store, text(3));
        Optional<PolicyVersion> current = Optional.of(store.history(1).get(0));
        List<String> keys = probe.keys(ROOT);
        assertThat(store.apply(update(Optional.of(first), text(4)))).isEqualTo(new PolicyUpdate.Result(false, current));
        assertThat(store.apply(update(Optional.empty(), text(4)))).isEqualTo(new PolicyUpdate.Result(false, current));
        assertThat(store.read().version()).isEqualTo(second);
        assertThat(probe.keys(ROOT)).isEqualTo(keys);
    }

    @Test
    void one_of_concurrent_updates_of_the_same_version_is_applied() {
        try (ConsulPolicyStore other = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()))) {
            for (int round = 0; round < 10; round++) {
                Optional<String> replaces =
                        store.history(1).stream().map(PolicyVersion::version).findFirst();
                int base = 100 * round;
                List<CompletableFuture<PolicyUpdate.Result>> updates = IntStream.range(0, 6)
                        .mapToObj(i -> CompletableFuture.supplyAsync(
                                () -> (i % 2 == 0 ? store : other).apply(update(replaces, text(base + i + 1)))))
                        .toList();
                assertThat(updates.stream().map(CompletableFuture::join).filter(PolicyUpdate.Result::applied))
                        .hasSize(1);
                assertThat(store.read().texts()).hasSize(1);
            }
            assertThat(other.history(100)).hasSize(10);
        }
    }

    @Test
    void a_document_that_is_too_large_for_one_value_is_stored_in_parts() {
        List<Text> texts = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            texts.add(new Text("n".repeat(250) + i, "é".repeat(8 * i)));
        }
        texts.set(0, new Text("large", "x".repeat(8 << 20)));
        Text[] all = texts.toArray(Text[]::new);
        String version = apply(store, all);
        assertThat(store.read().texts()).containsExactly(all);
        assertThat(probe.keys(ROOT + "/texts/")).hasSize(34);
        assertThat(store.find(version).orElseThrow().texts()).hasSize(1000);
    }

    @Test
    void the_last_hundred_versions_are_kept_and_nothing_of_earlier_ones() {
        for (int i = 1; i <= 103; i++) {
            apply(store, text(i));
        }
        assertThat(store.history(100)).hasSize(100);
        assertThat(store.find("3")).isEmpty();
        assertThat(store.find("4").orElseThrow().texts()).containsExactly(text(4));
        assertThat(probe.keys(ROOT + "/texts/")).hasSize(100);
    }

    @Test
    void versions_that_are_too_large_together_are_deleted_except_for_the_last_two() {
        try (ConsulPolicyStore small =
                ConsulPolicyStore.connect(ConsulSettings.of(consul.url()), ConsulWatch.WAIT, 100)) {
            apply(small, new Text("a", "x".repeat(40)));
            apply(small, new Text("a", "y".repeat(40)));
            assertThat(small.history(100)).hasSize(2);
            apply(small, new Text("a", "z".repeat(40)));
            assertThat(small.history(100)).hasSize(2);
            apply(small, new Text("a", "b".repeat(400)));
            String last = apply(small, new Text("a", "c".repeat(400)));
            assertThat(small.history(100)).hasSize(2);
            assertThat(small.find("4").orElseThrow().texts()).containsExactly(new Text("a", "b".repeat(400)));
            assertThat(small.read().version()).isEqualTo(last);
            assertThat(probe.keys(ROOT + "/texts/")).hasSize(2);
        }
    }

    @Test
    void texts_of_a_writer_that_was_killed_are_deleted_by_the_next_write() {
        apply(store, text(2));
        probe.put(ROOT + "/texts/000000000000002-0123456789abcdef/00000", "half of it");
        assertThat(store.read().texts()).containsExactly(text(2));
        apply(store, text(3));
        assertThat(probe.keys(ROOT + "/texts/")).hasSize(2).noneMatch(key -> key.contains("0123456789abcdef"));
        assertThat(store.find("1")).isPresent();
    }

    @Test
    void a_version_is_later_than_the_one_before_even_if_the_clock_of_the_writer_is_behind() {
        apply(store, text(2));
        String[] lines = probe.value(ROOT + "/current").split("\n", -1);
        lines[1] = "2100-01-01T00:00:00Z";
        probe.put(ROOT + "/current", String.join("\n", lines));
        probe.put(ROOT + "/versions/000000000000001", String.join("\n", lines));
        apply(store, text(3));
        assertThat(store.read().writtenAt()).contains(Instant.parse("2100-01-01T00:00:00.000001Z"));
    }

    @Test
    void a_value_of_another_program_is_not_changed() {
        probe.put(ROOT + "/current", "mine");
        assertThatThrownBy(() -> store.apply(update(Optional.empty(), text(2))))
                .isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("the key " + ROOT + "/current holds something that Headgate did not store");
        assertThat(probe.value(ROOT + "/current")).isEqualTo("mine");
    }

    @Test
    void missing_and_damaged_texts_are_reported() {
        String version = apply(store, text(2));
        String part = probe.keys(ROOT + "/texts/").get(0);
        probe.put(part, probe.value(part).replace("permits: 2", "permits: 3"));
        assertThatThrownBy(store::read)
                .isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("the texts of version " + version + " are damaged");
        probe.delete(part);
        assertThatThrownBy(store::read)
                .hasMessageEndingWith("the texts of version " + version + " are missing: " + part);
    }

    @Test
    void numbers_continue_after_the_current_version_was_deleted() {
        apply(store, text(2));
        apply(store, text(3));
        probe.delete(ROOT + "/current");
        assertThat(store.history(100)).isEmpty();
        assertThatThrownBy(store::read).hasMessageContaining("has no policies");
        assertThat(apply(store, text(4))).startsWith("3-");
        assertThat(store.history(100)).hasSize(3);
    }

    @Test
    void a_version_that_cannot_be_read_back_is_not_reported_as_a_success() {
        consul.loseWritesOf("/texts/");
        try {
            assertThatThrownBy(() -> store.apply(update(Optional.empty(), text(2))))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(" was written, but cannot be read back: the texts of version 1-")
                    .hasMessageEndingWith("; do not write it again, but see headgate policy history");
        } finally {
            consul.loseWritesOf("");
        }
    }

    @Test
    void a_transaction_that_the_client_has_sent_twice_is_reported_as_written() {
        consul.loseRepliesToTransactions(1);
        String first = apply(store, text(2));
        assertThat(store.read().version()).isEqualTo(first);
        assertThat(store.history(100)).hasSize(1);
    }

    @Test
    void a_transaction_without_a_reply_may_have_been_executed() {
        consul.loseRepliesToTransactions(10);
        try {
            assertThatThrownBy(() -> store.apply(update(Optional.empty(), text(2))))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("write hg/config/policies/current: Consul cannot be reached: ")
                    .hasMessageEndingWith("may have been written, see headgate policy history");
        } finally {
            consul.loseRepliesToTransactions(0);
        }
        assertThat(store.read().texts()).containsExactly(text(2));
    }

    @Test
    void a_closed_store_fails_and_cannot_be_watched() {
        store.close();
        store.close();
        assertThatThrownBy(store::read).isInstanceOf(ConfigException.class).hasMessageContaining("the store is closed");
        assertThatThrownBy(() -> store.watch(() -> {})).hasMessage("the store is closed");
    }

    @Test
    void another_key_prefix_has_other_policies() {
        apply(store, text(2));
        try (ConsulPolicyStore shop =
                ConsulPolicyStore.connect(ConsulSettings.of(consul.url()).withKeyPrefix("shop"))) {
            assertThat(shop.history(100)).isEmpty();
        }
    }
}
