package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.internal.cluster.NodeClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisSettingsTest {

    private static final RedisSettings SETTINGS = RedisSettings.of("redis://localhost");

    @Test
    void a_cluster_url_names_nodes_that_share_everything_but_the_address() {
        assertThat(RedisUrl.nodes("redis-cluster://app:pa%20ss@a:1,[::1]:2,c?clientName=x&timeout=2s"))
                .containsExactly(
                        "redis://app:pa%20ss@a:1?clientName=x&timeout=2s",
                        "redis://app:pa%20ss@[::1]:2?clientName=x&timeout=2s",
                        "redis://app:pa%20ss@c?clientName=x&timeout=2s");
        assertThat(RedisUrl.nodes("rediss-cluster://a")).containsExactly("rediss://a");
        RedisSettings settings = RedisSettings.of("rediss-cluster://:secret@a:1,b");
        assertThat(settings.isCluster()).isTrue();
        assertThat(settings.uris())
                .allMatch(RedisURI::isSsl)
                .extracting(NodeClient::address)
                .containsExactly("a:1", "b:6379");
        assertThat(SETTINGS.isCluster()).isFalse();
        assertThat(RedisSettings.of("redis://[::1]:6380").uris())
                .extracting(RedisURI::getPort)
                .containsExactly(6380);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-cluster://:secret@a:1/3",
                "redis://:secret@a:b",
                "redis://:secret@host:port",
                "redis://:secret@",
                "redis-sentinel://:secret@a:1",
                "http://:secret@a"
            })
    void an_invalid_url_is_rejected_without_its_password_in_the_message(String url) {
        assertThatThrownBy(() -> RedisSettings.of(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("url must be redis://")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://user:secret@a:1/2?clientName=secret",
                "redis-sentinel://:secret@a:1,b:2#secret",
                "redis-cluster://:secret@a:1,b:2?clientName=secret"
            })
    void the_text_of_settings_contains_neither_passwords_nor_options(String url) {
        assertThat(RedisSettings.of(url)).asString().contains("a:1").doesNotContain("secret");
    }

    @Test
    void unset_options_have_their_documented_defaults() {
        assertThat(SETTINGS.keyPrefix()).isEqualTo("hg");
        assertThat(SETTINGS.timeout()).isEqualTo(Duration.ofMillis(500));
        assertThat(SETTINGS.maxInFlightCalls()).isEqualTo(16_384);
        assertThat(SETTINGS.requiredConnection()).isEmpty();
        assertThat(SETTINGS.trustedCertificates()).isEmpty();
        assertThat(SETTINGS.clientCertificate()).isEmpty();
        assertThat(SETTINGS.clientKey()).isEmpty();
    }

    @Test
    void each_change_returns_new_settings_and_keeps_the_other_values() {
        Path file = Path.of("pom.xml");
        RedisSettings all = RedisSettings.of("rediss://localhost")
                .withKeyPrefix("shop")
                .withTimeout(Duration.ofMinutes(1))
                .withMaxInFlightCalls(1)
                .withTrustedCertificates(file)
                .withClientCertificate(file, file)
                .withRequiredConnection(false);
        assertThat(all.keyPrefix()).isEqualTo("shop");
        assertThat(all.timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(all.maxInFlightCalls()).isEqualTo(1);
        assertThat(all.trustedCertificates()).contains(file);
        assertThat(all.clientCertificate()).contains(file);
        assertThat(all.clientKey()).contains(file);
        assertThat(all.requiredConnection()).contains(false);
        assertThat(all.withKeyPrefix("hg").timeout()).isEqualTo(all.timeout());
        assertThat(all.keyPrefix()).isEqualTo("shop");
    }

    @Test
    void changing_a_returned_uri_does_not_change_the_settings() {
        SETTINGS.uris().get(0).setTimeout(Duration.ofDays(1));
        assertThat(SETTINGS.uris().get(0).getTimeout()).isLessThan(Duration.ofDays(1));
    }

    @Test
    void values_out_of_range_are_rejected() {
        assertThatThrownBy(() -> SETTINGS.withKeyPrefix("-a"))
                .hasMessage(
                        "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"-a\"");
        assertThatThrownBy(() -> SETTINGS.withTimeout(Duration.ofSeconds(61)))
                .hasMessage("timeout must be from 1 ms to 1 minute, was PT1M1S");
        assertThatThrownBy(() -> SETTINGS.withTimeout(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SETTINGS.withMaxInFlightCalls(0))
                .hasMessage("maxInFlightCalls must be from 1 to 1000000, was 0");
    }

    @Test
    void certificates_are_only_for_a_url_with_tls() {
        Path file = Path.of("pom.xml");
        assertThatThrownBy(() -> SETTINGS.withTrustedCertificates(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("certificates are for TLS: the url must begin with rediss://");
        RedisClient own = RedisClient.create("rediss://localhost");
        try {
            assertThatThrownBy(() -> RedisSettings.of(own).withClientCertificate(file, file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("certificates can be set with a url only");
            assertThat(RedisSettings.of(own).client()).contains(own);
            assertThat(RedisSettings.of(own).uris()).isEmpty();
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
