package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.TlsRedis;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import io.headgate.testkit.faults.ServerFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The doctor explains why a Redis does not reply, or replies late, and what to do. If it does not reply, the last line repeats the
 * problem, and the exit code is 1.
 */
@ServerVersionSensitive
class DoctorReachIT {

    @Test
    void a_wrong_password_user_or_database_is_explained() {
        try (RedisServer redis = RedisServer.startOwn("--requirepass", "right")) {
            String address = "127.0.0.1:" + redis.port();
            assertUnreachable(
                    "redis://" + address,
                    address + " refuses: NOAUTH ",
                    "-> Redis requires a password: redis://:PASSWORD@");
            assertUnreachable(
                    "redis://:wrong@" + address,
                    address + " refuses: WRONGPASS ",
                    "-> use a user and password of this Redis");
            assertUnreachable(
                    "redis://nobody:right@" + address,
                    address + " refuses: WRONGPASS ",
                    "-> use a user and password of this Redis");
            assertUnreachable(
                    "redis://:right@" + address + "/99",
                    address + " refuses: ERR DB index is out of range",
                    "-> omit the database at the end of the URL");
            assertThat(DoctorRun.of("--redis", "redis://:right@" + address).exitCode())
                    .isZero();
        }
    }

    /** Lettuce reports only the closed connection if it sees the close before the reply. */
    @Test
    void a_lost_rejection_is_retried() throws IOException {
        try (ServerSocket redis = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                refuse(redis, "");
                refuse(redis, "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
            });
            String address = "127.0.0.1:" + redis.getLocalPort();
            assertUnreachable(
                    "redis://:wrong@" + address, address + " refuses: WRONGPASS ", "-> use a user and password");
            served.join();
        }
    }

    private static void refuse(ServerSocket redis, String reply) {
        try (Socket client = redis.accept()) {
            // The start of its first command is sufficient.
            assertThat(client.getInputStream().read()).isEqualTo('*');
            client.getOutputStream().write(reply.getBytes(StandardCharsets.US_ASCII));
            if (reply.isEmpty()) {
                // With a reply, the client closes the connection. If this side closed it, Lettuce could lose the reply.
                client.shutdownOutput();
            }
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_password_for_a_redis_without_one_is_explained() {
        try (RedisServer redis = RedisServer.startOwn()) {
            String address = "127.0.0.1:" + redis.port();
            assertUnreachable(
                    "redis://:any@" + address,
                    address + " refuses: ERR AUTH <password> called without any password",
                    "-> use a user and password of this Redis");
        }
    }

    @Test
    void an_address_without_a_redis_is_explained() {
        assertUnreachable(
                "redis://127.0.0.1:1",
                "127.0.0.1:1 does not reply: Connection refused",
                "-> nothing listens at this address");
        assertUnreachable(
                "redis://no-such-name.invalid:6379",
                "no-such-name.invalid:6379 does not reply: ",
                "-> this name does not resolve");
    }

    @Test
    void a_redis_with_a_round_trip_that_is_too_long_is_a_warning() {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy far = FaultProxy.before(redis.url())) {
            far.delayReplies(Duration.ofMillis(26));
            DoctorRun run = DoctorRun.of("--redis", far.url());
            assertThat(run.output())
                    .contains("warning  round trip    ")
                    .contains("-> a check waits 50 ms for Redis by default");
            assertThat(run.exitCode()).isZero();
        }
    }

    @Test
    void a_stuck_script_is_explained() {
        try (RedisServer redis = RedisServer.startOwn();
                ServerFault busy = ServerFault.busy(redis)) {
            assertThat(busy).isNotNull();
            assertUnreachable(redis.url(), "127.0.0.1:" + redis.port() + " refuses: BUSY ", "-> a script is stuck");
        }
    }

    @Test
    void a_url_with_the_wrong_tls_scheme_is_explained(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis redis = TlsRedis.start(files, files.identity("server", "127.0.0.1"))) {
            String plain = "127.0.0.1:" + redis.server().port();
            String tls = "127.0.0.1:" + redis.tlsPort();
            assertUnreachable(
                    "rediss://" + plain,
                    plain + " does not reply: ",
                    "-> does that port use TLS? Without TLS it is redis://");
            assertUnreachable(
                    "redis://" + tls, tls + " does not reply: ", "-> does that port use TLS? With TLS it is rediss://");
            assertUnreachable("rediss://" + tls, tls + " does not reply: ", "-> this JVM must trust the certificate");
            DoctorRun run = DoctorRun.of("--redis", "rediss://" + tls + "?verifyPeer=NONE");
            assertThat(run.exitCode()).as(run.output()).isZero();
        }
    }

    @Test
    void sentinels_lead_to_their_primary_and_an_unknown_name_is_explained() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            DoctorRun run = DoctorRun.of("--redis", sentinels.url());
            assertThat(run.exitCode()).as(run.output()).isZero();
            assertThat(run.output()).contains(" role          primary with 2 replicas");
            String address = sentinels.url().replace("redis-sentinel://", "").replace("#headgate", "#other");
            assertUnreachable(
                    "redis-sentinel://" + address,
                    address + " does not reply: ",
                    "-> does one of these sentinels run, do they have a primary of that name");
        }
    }

    private static void assertUnreachable(String url, String found, String advice) {
        DoctorRun run = DoctorRun.of("--redis", url, "--redis-timeout", "1s");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .startsWith("problem  reachable     " + found)
                .contains(advice)
                .doesNotContain("(..)"); // as in "connect(..) failed" of Netty
        assertThat(run.lastLine()).isEqualTo("1 problem (reachable), 0 warnings, 0 notes, 0 ok");
    }
}
