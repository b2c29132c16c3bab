package io.headgate.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import io.headgate.testkit.internal.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FaultProxyIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(100);

    // Not the shared server, which may be a given one with other data.
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        proxy.close();
        probe.close();
    }

    @Test
    void a_proxy_without_faults_changes_nothing() throws Exception {
        byte[] bytes = new byte[1_000_000];
        new Random(1).nextBytes(bytes);
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call(utf8("SET"), utf8("key"), bytes)).isEqualTo(utf8("OK"));
            assertThat(client.call("GET", "key")).isEqualTo(bytes);
            assertThat(client.call("GET", "absent")).isNull();
            assertThat(client.call("HELLO", "3")).isInstanceOf(List.class);
            assertThat(client.call("NO-SUCH")).isInstanceOf(RespReader.Failure.class);
            assertThat(client.call("HGETALL", "absent")).isEqualTo(List.of());
            assertThat(client.call("QUIT")).isEqualTo(utf8("OK"));
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void inline_commands_and_pipelined_commands_pass() throws Exception {
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("SET a 1\r\nINCR a\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n"));
            assertThat(socket.getInputStream().readNBytes(13)).isEqualTo(utf8("+OK\r\n:2\r\n:3\r\n"));
        }
        assertThat(proxy.commandsSeen()).containsEntry("SET", 1L).containsEntry("INCR", 2L);
    }

    @Test
    void the_request_of_a_cut_reply_is_executed_but_the_client_never_receives_the_reply() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.cutNextReply();

            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(EOFException.class);

            proxy.awaitCut(LONG);
            assertThat(probe.command("GET", "count")).isEqualTo("1");
        }
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("INCR", "count")).isEqualTo(2L);
        }
    }

    @Test
    void a_cut_waits_for_the_reply_to_its_command_on_any_connection() throws Exception {
        try (RespConnection one = connect(LONG);
                RespConnection other = connect(LONG)) {
            proxy.cutNextReplyTo("incr");

            assertThat(one.call("SET", "count", "4")).isEqualTo(utf8("OK"));
            assertThatThrownBy(() -> other.call("INCR", "count")).isInstanceOf(EOFException.class);
            assertThat(one.call("INCR", "count")).isEqualTo(6L);
        }
    }

    @Test
    void pipelined_commands_before_the_cut_are_answered() throws Exception {
        proxy.cutNextReplyTo("INCR");
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("SET a 1\r\nINCR a\r\nSET b 1\r\n"));
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(utf8("+OK\r\n"));
        }
    }

    @Test
    void a_reply_is_cut_after_the_given_number_of_bytes() throws Exception {
        probe.command("SET", "key", "0123456789");
        proxy.cutNextReplyAfter(8);
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("GET key\r\n"));
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(utf8("$10\r\n012"));
        }
        proxy.awaitCut(LONG);
    }

    @Test
    void a_cut_request_is_never_executed() throws Exception {
        try (RespConnection client = connect(LONG)) {
            proxy.cutNextRequestOf("INCR");
            client.call("PING");

            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(IOException.class);

            proxy.awaitCut(LONG);
            assertThat(probe.command("GET", "count")).isNull();
            assertThat(proxy.commandsSeen("INCR")).isEqualTo(1);
        }
    }

    @Test
    void several_cuts_happen_one_after_the_other() {
        proxy.cutNextRequest();
        proxy.cutNextReply();
        proxy.cutNextReply();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> callOnce("INCR", "count")).isInstanceOf(IOException.class);
        }
        proxy.awaitCut(LONG);
        assertThat(probe.command("GET", "count")).isEqualTo("2");
    }

    @Test
    void cut_all_ends_every_connection_and_lets_clients_reconnect() throws Exception {
        try (RespConnection one = connect(LONG);
                RespConnection other = connect(LONG)) {
            one.call("PING");
            other.call("PING");
            assertThat(proxy.connectionsOpen()).isEqualTo(2);

            proxy.cutAll();

            assertThat(proxy.connectionsOpen()).isZero();
            assertThatThrownBy(() -> one.call("PING")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> other.call("PING")).isInstanceOf(IOException.class);
        }
        assertThat(callOnce("PING")).isEqualTo(utf8("PONG"));
        assertThat(proxy.connectionsSeen()).isEqualTo(3);
    }

    @Test
    void refused_connections_are_accepted_again_on_the_same_port() throws Exception {
        try (RespConnection before = connect(LONG)) {
            before.call("PING");
            proxy.refuseConnections();

            assertThatThrownBy(() -> connect(LONG)).isInstanceOf(ConnectException.class);
            assertThat(before.call("PING")).isEqualTo(utf8("PONG"));

            proxy.acceptConnections();
            assertThat(callOnce("PING")).isEqualTo(utf8("PONG"));
        }
    }

    @Test
    void held_replies_arrive_late_and_in_order() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.holdReplies();
            client.setTimeout(SHORT);

            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            Await.until("Redis to have executed both", LONG, () -> "2".equals(probe.command("GET", "count")));
            assertThat(proxy.connectionsOpen()).isEqualTo(1);

            CompletableFuture<@Nullable Object> late = async(() -> client.readWithin(LONG));
            proxy.resume();
            assertThat(late.get(60, TimeUnit.SECONDS)).isEqualTo(1L);
            assertThat(client.readWithin(LONG)).isEqualTo(2L);
            assertThat(client.call("INCR", "count")).isEqualTo(3L);
        }
    }

    @Test
    void released_replies_are_still_delayed() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.holdReplies();
            CompletableFuture<@Nullable Object> first = async(() -> client.call("INCR", "count"));
            proxy.awaitCommands("INCR", 1, LONG);
            proxy.releaseReplies();
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(1L);

            proxy.holdReplies();
            proxy.delayReplies(Duration.ofHours(1));
            CompletableFuture<@Nullable Object> second = async(() -> client.call("INCR", "count"));
            proxy.awaitCommands("INCR", 2, LONG);
            proxy.releaseReplies();
            assertThat(probe.command("PING")).isEqualTo("PONG");
            assertThat(second).isNotDone();
            proxy.resume();
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(2L);
        }
    }

    @Test
    void held_replies_are_lost_when_the_connection_is_cut() throws Exception {
        try (RespConnection client = connect(LONG)) {
            proxy.holdReplies();
            CompletableFuture<@Nullable Object> call = async(() -> client.call("INCR", "count"));
            proxy.awaitCommands("INCR", 1, LONG);
            assertThat(call).isNotDone();

            proxy.cutAll();

            assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    @Timeout(60)
    void replies_take_at_least_the_delay_and_delays_do_not_add_up() throws Exception {
        Duration delay = Duration.ofMillis(300);
        proxy.delayReplies(delay);
        try (Socket socket = plainSocket()) {
            long start = System.nanoTime();
            socket.getOutputStream().write(utf8("PING\r\n".repeat(1000)));
            assertThat(socket.getInputStream().readNBytes(7000)).hasSize(7000);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(delay);
        }
    }

    @Test
    void ending_a_delay_delivers_waiting_replies_immediately() throws Exception {
        proxy.delayReplies(Duration.ofHours(1));
        try (RespConnection client = connect(LONG)) {
            CompletableFuture<@Nullable Object> call = async(() -> client.call("PING"));
            proxy.awaitCommands("PING", 1, LONG);

            proxy.delayReplies(Duration.ZERO);

            assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(utf8("PONG"));
        }
    }

    @Test
    void traffic_is_counted() throws Exception {
        String requests = "PING\r\n*3\r\n$4\r\neval\r\n$8\r\nreturn 1\r\n$1\r\n0\r\nEVAL 'return 2' 0\r\n";
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8(requests));
            assertThat(socket.getInputStream().readNBytes(15)).isEqualTo(utf8("+PONG\r\n:1\r\n:2\r\n"));
        }
        assertThat(proxy.commandsSeen("eval")).isEqualTo(2);
        assertThat(proxy.commandsSeen()).containsOnlyKeys("EVAL", "PING");
        assertThat(proxy.requestBytesSeen()).isEqualTo(requests.length());
        assertThat(proxy.connectionsSeen()).isEqualTo(1);
        proxy.awaitConnections(1, LONG);
    }

    @Test
    void a_killed_redis_ends_the_connection_and_is_reachable_after_its_restart() throws Exception {
        try (RedisServer own = RedisServer.startOwn();
                FaultProxy before = FaultProxy.before(own.url());
                RespConnection client = RespConnection.open(RedisUrl.parse(before.url()), LONG)) {
            client.call("PING");

            own.kill();
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            own.restart();

            try (RespConnection again = RespConnection.open(RedisUrl.parse(before.url()), LONG)) {
                assertThat(again.call("PING")).isEqualTo(utf8("PONG"));
            }
        }
    }

    @Test
    void a_cut_that_does_not_happen_is_reported_with_the_commands_seen() throws Exception {
        proxy.cutNextReplyTo("EVALSHA");
        callOnce("PING");

        assertThatThrownBy(() -> proxy.awaitCut(SHORT))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("EVALSHA")
                .hasMessageContaining("PING=1");
        proxy.resume();
        proxy.awaitCut(Duration.ZERO);
    }

    @Test
    void the_url_of_a_proxy_keeps_user_password_and_database() {
        try (FaultProxy other = FaultProxy.before("redis://me:secret%20@127.0.0.1:6379/2")) {
            assertThat(other.url()).isEqualTo("redis://me:secret%20@127.0.0.1:" + other.port() + "/2");
        }
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return RespConnection.open(RedisUrl.parse(proxy.url()), timeout);
    }

    private Socket plainSocket() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private @Nullable Object callOnce(String... command) throws IOException {
        try (RespConnection client = connect(LONG)) {
            return client.call(command);
        }
    }

    private interface Call {
        @Nullable
        Object run() throws IOException;
    }

    private static CompletableFuture<@Nullable Object> async(Call call) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.run());
            } catch (IOException e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
