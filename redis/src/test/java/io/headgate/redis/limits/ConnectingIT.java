package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueException;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.TlsRedis;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.lettuce.core.RedisClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections to a real Redis use the user, password, database, client name and TLS settings that are given. */
@ServerVersionSensitive
class ConnectingIT {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Limit LIMIT = Limit.slidingWindow(5, Duration.ofMinutes(1));

    @Test
    void the_user_password_database_and_client_name_of_a_url_are_used() {
        try (RedisServer redis = RedisServer.startOwn(
                        "--user", "app", "on", ">pa ss", "~hg:*", "resetchannels", "&hg:*", "+@all");
                RedisProbe probe = RedisProbe.of(redis.url() + "/3")) {
            String url = redis.url().replace("redis://", "redis://app:pa%20ss@") + "/3?clientName=orders";
            try (RedisLimitEngine limits = connected(url)) {
                assertThat(limits.description()).isEqualTo(redis.url() + "/3");
                assertThat(probe.command("DBSIZE")).isEqualTo(1L);
                assertThat(String.valueOf(probe.command("CLIENT", "LIST")))
                        .contains(" name=orders ")
                        .contains(" user=app ");
            }
            try (RedisQueueEngine queues =
                    RedisQueueEngine.connect(RedisSettings.of(url).withTimeout(LONG))) {
                queues.queue("orders", Codec.text()).enqueue("one");
                assertThat(probe.command("EXISTS", "hg:q:{orders}")).isEqualTo(1L);
                assertThat(queues.description()).isEqualTo(redis.url() + "/3");
            }
        }
    }

    @Test
    void a_wrong_or_missing_password_is_reported_without_the_password() {
        try (RedisServer redis = RedisServer.startOwn("--requirepass", "right")) {
            assertThatThrownBy(() -> connected(redis.url().replace("//", "//:wrong@")))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("WRONGPASS")
                    .hasMessageNotContaining("wrong@");
            assertThatThrownBy(() -> connectedOrRejected(redis.url().replace("//", "//:wrong@")))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("WRONGPASS");
            assertThatThrownBy(() -> connectedOrRejected(redis.url()))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("NOAUTH");
            assertThatThrownBy(() -> connectedOrRejected(redis.url().replace("//", "//:right@") + "/99"))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("DB index");
            assertThatThrownBy(() -> RedisQueueEngine.connect(redis.url()))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    /**
     * Connects. Lettuce may lose the reason of a rejection if the connection breaks before its reply is read; the engine then starts as if
     * Redis were down, so this tries again.
     */
    private static void connectedOrRejected(String url) {
        for (int i = 0; i < 10; i++) {
            RedisLimitEngine.connect(url).close();
        }
    }

    @Test
    void tls_trusts_the_given_certificates_and_checks_the_name(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis redis = TlsRedis.start(files, files.identity("server", "127.0.0.1"));
                TlsRedis other = TlsRedis.start(files, files.identity("other", "redis.test"))) {
            connected(Engines.settings(redis.tlsUrl()).withTrustedCertificates(files.authority()))
                    .close();
            connected(redis.tlsUrl() + "?verifyPeer=NONE").close();
            assertUntrusted(Engines.settings(redis.tlsUrl()));

            assertUntrusted(Engines.settings(other.tlsUrl()).withTrustedCertificates(files.authority()));
            connected(Engines.settings(other.tlsUrl() + "?verifyPeer=CA").withTrustedCertificates(files.authority()))
                    .close();
            assertUntrusted(Engines.settings(other.tlsUrl() + "?verifyPeer=CA"));

            try (RedisQueueEngine queues = RedisQueueEngine.connect(RedisSettings.of(redis.tlsUrl())
                    .withTrustedCertificates(files.authority())
                    .withTimeout(LONG))) {
                queues.queue("orders", Codec.text()).enqueue("one");
                assertThat(queues.description()).isEqualTo(redis.tlsUrl());
            }
        }
    }

    @Test
    void the_client_certificate_is_sent_to_a_redis_that_requires_one(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        TlsFiles.Identity client = files.identity("client", "client.test");
        try (TlsRedis redis =
                TlsRedis.start(files, files.identity("server", "127.0.0.1"), "--tls-auth-clients", "yes")) {
            RedisSettings settings = Engines.settings(redis.tlsUrl()).withTrustedCertificates(files.authority());
            connected(settings.withClientCertificate(client.certificate(), client.key()))
                    .close();
            assertThatThrownBy(() -> connected(settings)).isInstanceOf(LimiterException.class);
            assertThatThrownBy(() -> RedisLimitEngine.connect(settings)).isInstanceOf(LimiterException.class);
        }
    }

    @Test
    void by_default_tls_trusts_the_certificates_that_the_jvm_trusts(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis redis = TlsRedis.start(files, files.identity("server", "127.0.0.1"))) {
            System.setProperty("javax.net.ssl.trustStore", files.trustStore().toString());
            System.setProperty("javax.net.ssl.trustStorePassword", TlsFiles.PASSWORD);
            connected(redis.tlsUrl()).close();
        } finally {
            System.clearProperty("javax.net.ssl.trustStore");
            System.clearProperty("javax.net.ssl.trustStorePassword");
        }
    }

    @Test
    void invalid_or_contradictory_settings_are_rejected(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("ca.pem"));
        RedisSettings tls = RedisSettings.of("rediss://127.0.0.1:1");
        assertThatThrownBy(() -> tls.withTrustedCertificates(folder.resolve("none.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("trustedCertificates must be a readable file in PEM format, was ");
        assertThatThrownBy(() -> RedisSettings.of("redis://127.0.0.1:1").withTrustedCertificates(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "certificates are for TLS: the url must begin with rediss://, rediss-sentinel:// or rediss-cluster://");
        RedisClient own = RedisClient.create("redis://127.0.0.1:1");
        try {
            assertThatThrownBy(() -> RedisSettings.of(own).withClientCertificate(file, file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("certificates can be set with a url only");
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        for (String url : new String[] {
            "redis-sentinel://127.0.0.1:1,127.0.0.1:2",
            "redis://127.0.0.1:1,127.0.0.1:2",
            "redis://host:port",
            "redis-cluster://127.0.0.1:1,127.0.0.1:2/1",
            "redis-cluster://127.0.0.1:1,",
            "redis-cluster://",
            "redis-cluster://host:port",
            "http://host"
        }) {
            assertThatThrownBy(() -> RedisSettings.of(url)).as(url).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static void assertUntrusted(RedisSettings settings) {
        assertThatThrownBy(() -> connected(settings))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
        // With the default fallback it fails too: it is not treated as an outage.
        assertThatThrownBy(() -> RedisLimitEngine.connect(settings)).isInstanceOf(LimiterException.class);
    }

    private static RedisLimitEngine connected(String url) {
        return connected(Engines.settings(url));
    }

    private static RedisLimitEngine connected(RedisSettings settings) {
        RedisLimitEngine limits = Engines.builder(settings).build();
        assertThat(limits.limiter("logins", LIMIT).tryAcquire("alice").allowed())
                .isTrue();
        return limits;
    }
}
