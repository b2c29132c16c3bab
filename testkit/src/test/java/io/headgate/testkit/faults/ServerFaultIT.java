package io.headgate.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each state is there while it lasts, as a client sees it that was connected before, and is gone afterwards. */
@Timeout(180)
@ServerVersionSensitive
class ServerFaultIT {

    private Optional<RedisServer> started = Optional.empty();
    private Optional<RedisProbe> connected = Optional.empty();

    @BeforeEach
    void start() {
        start("--appendonly", "no");
    }

    private void start(String... arguments) {
        close();
        started = Optional.of(RedisServer.startOwn(arguments));
        connected = Optional.of(RedisProbe.of(redis().url()));
        probe().command("SET", "key", "kept");
    }

    @AfterEach
    void stop() {
        close();
    }

    private void close() {
        connected.ifPresent(RedisProbe::close);
        started.ifPresent(RedisServer::close);
    }

    private RedisServer redis() {
        return started.orElseThrow();
    }

    private RedisProbe probe() {
        return connected.orElseThrow();
    }

    @Test
    void while_an_endless_script_runs() {
        assertRefused(ServerFault::busy, "BUSY", "GET", "key");
    }

    @Test
    void without_memory() {
        assertRefused(ServerFault::outOfMemory, "OOM", "SET", "key", "other");
    }

    @Test
    void without_replicas() {
        assertRefused(ServerFault::withoutReplicas, "NOREPLICAS", "SET", "key", "other");
    }

    @Test
    void after_a_snapshot_that_failed() {
        assertRefused(ServerFault::unableToSave, "MISCONF", "SET", "key", "other");
    }

    @Test
    void as_a_replica() {
        assertRefused(ServerFault::readOnly, "READONLY", "SET", "key", "other");
    }

    @Test
    void as_a_replica_without_its_primary() {
        assertRefused(ServerFault::withoutPrimary, "MASTERDOWN", "GET", "key");
    }

    @Test
    void without_rights() {
        assertRefused(server -> ServerFault.withoutRights(server, "get", "set"), "NOPERM", "GET", "key");
    }

    @Test
    void while_it_reads_a_snapshot_and_an_append_only_file() {
        assertRefused(ServerFault::loading, "LOADING", "GET", "key");
        start("--appendonly", "yes", "--appendfsync", "always");
        assertRefused(ServerFault::loading, "LOADING", "GET", "key");
    }

    @Test
    void full() {
        try (ServerFault fault = ServerFault.full(redis());
                RedisProbe late = RedisProbe.of(redis().url())) {
            assertThat(fault).isNotNull();
            assertThat(probe().command("GET", "key")).isEqualTo("kept");
            assertThatThrownBy(() -> late.command("GET", "key"))
                    .isInstanceOfAny(RedisProbe.ErrorReply.class, UncheckedIOException.class)
                    .message()
                    .containsAnyOf("ERR max number of clients reached", "reset", "Broken pipe");
        }
        assertKept();
    }

    @Test
    void with_a_password() {
        try (ServerFault fault = ServerFault.withPassword(redis(), "secret");
                RedisProbe late = RedisProbe.of(redis().url());
                RedisProbe knows = RedisProbe.of(redis().url().replace("redis://", "redis://:secret@"))) {
            assertThat(fault).isNotNull();
            assertThatThrownBy(() -> late.command("GET", "key")).hasMessageStartingWith("NOAUTH");
            assertThatThrownBy(() -> probe().command("GET", "key")).isInstanceOf(UncheckedIOException.class);
            assertThat(knows.command("GET", "key")).isEqualTo("kept");
        }
        assertKept();
    }

    @Test
    void evicted() {
        ServerFault.evictAll(redis());
        assertThat(probe().command("DBSIZE")).isEqualTo(0L);
        assertThat(probe().command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "0"));
        assertThat(probe().command("SET", "key", "new")).isEqualTo("OK");
    }

    private void assertRefused(Function<RedisServer, ServerFault> state, String error, String... command) {
        probe().command("PING");
        try (ServerFault fault = state.apply(redis())) {
            assertThat(fault).isNotNull();
            Await.until("the error " + error, Duration.ofSeconds(20), () -> isRefused(error, command));
            assertThat(isRefused(error, command)).isTrue();
        }
        assertKept();
        assertThat(probe().command("SET", "key", "new")).isEqualTo("OK");
        assertThat(probe().command("DBSIZE")).isEqualTo(1L);
    }

    private boolean answers() {
        try {
            return "PONG".equals(probe().command("PING"));
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** A kill may have ended the earlier connection, which is then opened again. */
    private boolean isRefused(String error, String... command) {
        try {
            probe().command(command);
            return false;
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage()).startsWith(error);
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private void assertKept() {
        Await.until("an answer on a connection that lives", Duration.ofSeconds(20), this::answers);
        assertThat(probe().command("GET", "key")).isEqualTo("kept");
    }
}
