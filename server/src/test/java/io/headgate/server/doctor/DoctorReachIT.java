package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Why a Redis can't be asked is said in words, with what to do; the last line says it too, and the exit code is 1. */
class DoctorReachIT {

    @Test
    void passwords_and_databases() {
        try (RedisServer redis = RedisServer.startOwn("--requirepass", "right")) {
            String address = "127.0.0.1:" + redis.port();
            assertUnreachable(
                    "redis://" + address, address + " refuses: NOAUTH ", "-> it wants a password: redis://:PASSWORD@");
            assertUnreachable(
                    "redis://:wrong@" + address,
                    address + " refuses: WRONGPASS ",
                    "-> give the user and password that it knows");
            assertUnreachable(
                    "redis://nobody:right@" + address,
                    address + " refuses: WRONGPASS ",
                    "-> give the user and password that it knows");
            assertUnreachable(
                    "redis://:right@" + address + "/99",
                    address + " refuses: ERR DB index is out of range",
                    "-> leave the database at the end of the URL out");
            assertThat(DoctorRun.of("--redis", "redis://:right@" + address).exitCode())
                    .isZero();
        }
    }

    @Test
    void a_password_where_none_is_set() {
        try (RedisServer redis = RedisServer.startOwn()) {
            String address = "127.0.0.1:" + redis.port();
            assertUnreachable(
                    "redis://:any@" + address,
                    address + " refuses: ERR AUTH <password> called without any password",
                    "-> give");
        }
    }

    @Test
    void addresses_where_there_is_none() {
        assertUnreachable(
                "redis://127.0.0.1:1",
                "127.0.0.1:1 does not answer: Connection refused",
                "-> nothing listens at this address");
        assertUnreachable(
                "redis://no-such-name.invalid:6379",
                "no-such-name.invalid:6379 does not answer: ",
                "-> no such name is known here");
    }

    @Test
    void a_script_that_hangs() {
        try (RedisServer redis = RedisServer.startOwn("--lua-time-limit", "1");
                RedisProbe hanging = RedisProbe.of(redis.url())) {
            Thread script = new Thread(() -> {
                try {
                    hanging.command("EVAL", "while true do end", "0");
                } catch (RedisProbe.ErrorReply | UncheckedIOException e) {
                    // It is killed.
                }
            });
            script.start();
            try (RedisProbe probe = RedisProbe.of(redis.url())) {
                Await.until("Redis to be busy", Duration.ofSeconds(30), () -> isBusy(probe));
                assertUnreachable(
                        redis.url(), "127.0.0.1:" + redis.port() + " refuses: BUSY ", "-> some program's script hangs");
                probe.command("SCRIPT", "KILL");
            }
        }
    }

    private static boolean isBusy(RedisProbe probe) {
        try {
            probe.command("PING");
            return false;
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage()).startsWith("BUSY");
        }
    }

    @Test
    void tls_and_none(@TempDir Path folder) throws IOException {
        try (TlsRedis redis = TlsRedis.start(folder)) {
            String plain = "127.0.0.1:" + redis.port();
            String tls = "127.0.0.1:" + redis.tlsPort();
            assertUnreachable(
                    "rediss://" + plain,
                    plain + " does not answer: ",
                    "-> does that port speak TLS? Without TLS it is redis://");
            assertUnreachable(
                    "redis://" + tls,
                    tls + " does not answer: ",
                    "-> does that port speak TLS? With TLS it is rediss://");
            assertUnreachable(
                    "rediss://" + tls, tls + " does not answer: ", "-> its certificate must be trusted by this JVM");
            DoctorRun run = DoctorRun.of("--redis", "rediss://" + tls + "?verifyPeer=NONE");
            assertThat(run.exitCode()).as(run.output()).isZero();
        }
    }

    private static void assertUnreachable(String url, String found, String advice) {
        DoctorRun run = DoctorRun.of("--redis", url, "--redis-timeout", "1s");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .startsWith("problem  reachable     " + found)
                .contains(advice)
                .doesNotContain("(..)");
        assertThat(run.lastLine()).isEqualTo("1 problem (reachable), 0 warnings, 0 notes, 0 ok");
    }
}
