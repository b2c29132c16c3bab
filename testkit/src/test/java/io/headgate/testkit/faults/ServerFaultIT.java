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

/** A fault rejects commands or connections until it is closed. */
@Timeout(180)
@ServerVersionSensitive
class ServerFaultIT {

    private static final Duration LONG = Duration.ofSeconds(60);

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
    void commands_are_rejected_while_an_endless_script_runs() {
        assertRejected(ServerFault::busy, "BUSY", "GET", "key");
    }

    @Test
    void writes_are_rejected_when_out_of_memory() {
        assertRejected(ServerFault::outOfMemory, "OOM", "SET", "key", "other");
    }

    @Test
    void writes_are_rejected_without_replicas() {
        assertRejected(ServerFault::withoutReplicas, "NOREPLICAS", "SET", "key", "other");
    }

    @Test
    void writes_are_rejected_after_a_failed_snapshot() {
        assertRejected(ServerFault::unableToSave, "MISCONF", "SET", "key", "other");
    }

    @Test
    void writes_are_rejected_by_a_replica() {
        assertRejected(ServerFault::readOnly, "READONLY", "SET", "key", "other");
    }

    @Test
    void reads_are_rejected_by_a_replica_without_its_primary() {
        assertRejected(ServerFault::withoutPrimary, "MASTERDOWN", "GET", "key");
    }

    @Test
    void commands_are_rejected_without_access_rights() {
        assertRejected(server -> ServerFault.withoutRights(server, "get", "set"), "NOPERM", "GET", "key");
    }

    @Test
    void reads_are_rejected_while_a_snapshot_or_an_append_only_file_is_loaded() {
        assertRejected(ServerFault::loading, "LOADING", "GET", "key");
        start("--appendonly", "yes", "--appendfsync", "always");
        assertRejected(ServerFault::loading, "LOADING", "GET", "key");
    }

    @Test
    void new_connections_are_rejected_when_too_many_are_open() {
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
    void clients_without_the_new_password_are_rejected() {
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
    void all_keys_are_evicted_and_writes_work_afterwards() {
        ServerFault.evictAll(redis());
        assertThat(probe().command("DBSIZE")).isEqualTo(0L);
        assertThat(probe().command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "0"));
        assertThat(probe().command("SET", "key", "new")).isEqualTo("OK");
    }

    private void assertRejected(Function<RedisServer, ServerFault> state, String error, String... command) {
        probe().command("PING");
        try (ServerFault fault = state.apply(redis())) {
            assertThat(fault).isNotNull();
            Await.until("the error " + error, LONG, () -> isRejected(error, command));
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

    /** Whether a command is rejected with this error. A kill may have ended the connection of the probe, which then reconnects. */
    private boolean isRejected(String error, String... command) {
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
        Await.until("an answer on a connection that lives", LONG, this::answers);
        assertThat(probe().command("GET", "key")).isEqualTo("kept");
    }
}
