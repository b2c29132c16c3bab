package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.util.DomainSocketAddress;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.TestServer;
import io.headgate.server.TimedAttempt;
import io.headgate.server.cli.StartException;
import io.headgate.server.http.BearerToken;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A listener for operators of its own, at a port or at a Unix socket. */
class OperatorListenerTest {

    private static final String TOKEN = "an-operators-own-secret";
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private static TestServer start(InetSocketAddress ofOperators) {
        return new TestServer(
                ServerSettings.builder(FREE)
                        .drainDelay(Duration.ZERO)
                        .operatorToken(Optional.of(new BearerToken(TOKEN)))
                        .operatorListen(Optional.of(ofOperators))
                        .build(),
                TestServer.API);
    }

    private static int status(TestServer server, String uri) {
        return server.send(HttpRequest.newBuilder(URI.create(uri)).header("Authorization", "Bearer " + TOKEN))
                .statusCode();
    }

    @Test
    void operator_calls_are_served_only_at_their_own_port() {
        try (TestServer server = start(FREE)) {
            String own = server.server.operatorAddress().orElseThrow();
            for (String path : List.of("/v1/top", "/v1/bans")) {
                assertThat(status(server, own + path)).as(path).isEqualTo(200);
                assertThat(status(server, server.server.uri() + path)).as(path).isEqualTo(404);
            }
            for (String path : List.of("/v1/queues", "/v1/queues/mails", "/v1/queues/mails/jobs", "/v1/bans/lift")) {
                assertThat(server.get(path).body()).as(path).contains("there is nothing at this path");
            }
            assertThat(status(server, own + "/metrics")).isEqualTo(200);
            assertThat(server.get("/metrics").statusCode()).isEqualTo(404);
            for (String path : List.of("/healthz", "/readyz", "/v1/status")) {
                assertThat(status(server, own + path)).as(path).isEqualTo(200);
                assertThat(server.get(path).statusCode()).as(path).isEqualTo(200);
            }
            for (String path : List.of("/check/api?user=a", "/v1/check", "/v1/refund", "/v1/holds", "/")) {
                assertThat(status(server, own + path)).as(path).isEqualTo(404);
            }
            assertThat(server.get("/check/api?user=a").statusCode()).isNotEqualTo(404);
        }
    }

    @Test
    void a_unix_socket_is_for_this_user_only_and_is_removed_at_the_end() throws IOException {
        Path path = folder.resolve("operators.sock");
        try (TestServer server = start(DomainSocketAddress.of(path))) {
            assertThat(server.server.operatorAddress()).contains("unix:" + path);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
            assertThat(get(path, "/v1/bans", TOKEN)).startsWith("HTTP/1.1 200").endsWith("\"total\":0}\n");
            assertThat(get(path, "/v1/bans", "wrong")).startsWith("HTTP/1.1 401");
            assertThat(get(path, "/readyz", "")).startsWith("HTTP/1.1 200");
            String added = send(
                    path, "POST /v1/bans", TOKEN, "{\"attribute\":\"ip\",\"value\":\"127.0.0.1\",\"permanent\":true}");
            assertThat(added).startsWith("HTTP/1.1 200").contains("\"by\":\"unix\"");
            assertThat(server.get("/v1/bans").statusCode()).isEqualTo(404);
            assertThatThrownBy(() -> OperatorAddress.requireFree(DomainSocketAddress.of(path)))
                    .isInstanceOf(StartException.class)
                    .hasMessage("another process listens on " + path + "; choose another path with --operator-bind");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void a_socket_file_without_a_listener_is_replaced_and_another_file_is_not() throws IOException {
        Path stale = folder.resolve("stale.sock");
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(stale));
        }
        assertThat(stale).exists();
        OperatorAddress.requireFree(DomainSocketAddress.of(stale));
        assertThat(stale).doesNotExist();

        Path file = Files.writeString(folder.resolve("notes.txt"), "mine");
        assertThatThrownBy(() -> OperatorAddress.requireFree(DomainSocketAddress.of(file)))
                .hasMessage(
                        file + " exists and is not a socket; choose another path with --operator-bind, or remove it");
        assertThat(file).hasContent("mine");
        OperatorAddress.requireFree(DomainSocketAddress.of(folder.resolve("new.sock")));
    }

    @Test
    void a_port_that_is_taken_or_a_missing_folder_fails_the_start_and_names_the_option() {
        try (TestServer first = start(FREE)) {
            int port = URI.create(first.server.operatorAddress().orElseThrow()).getPort();
            assertThatThrownBy(() -> start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
                    .hasMessage("port " + port + " is in use at 127.0.0.1; choose another with --operator-bind");
        }
        Path missing = folder.resolve("missing/operators.sock");
        assertThatThrownBy(() -> start(DomainSocketAddress.of(missing)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("can't listen on " + missing);
    }

    private static String get(Path socket, String path, String token) throws IOException {
        return send(socket, "GET " + path, token, "");
    }

    private static String send(Path socket, String line, String token, String body) throws IOException {
        String request = line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body;
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                InputStream in = Channels.newInputStream(channel)) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void a_special_file_that_is_no_socket_is_not_removed() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> OperatorAddress.requireFree(DomainSocketAddress.of(pipe)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("exists and is not a socket");
        assertThat(pipe).exists();
    }

    @Test
    void with_a_mere_number_of_trusted_proxies_a_client_cannot_choose_the_address_of_its_attempts() throws Exception {
        ServerSettings settings = ServerSettings.builder(FREE)
                .drainDelay(Duration.ZERO)
                .operatorToken(Optional.of(new BearerToken(TOKEN)))
                .operatorListen(Optional.of(FREE))
                .clientAddress(Optional.of(ClientAddress.behindProxies(1)))
                .build();
        // On a slow machine, the first failure may be a minute ago.
        TimedAttempt.run(Duration.ofMinutes(1), attempt -> {
            try (TestServer server = new TestServer(settings, TestServer.API)) {
                String bans = server.server.operatorAddress().orElseThrow() + "/v1/bans";
                attempt.start();
                for (int i = 0; i < 10; i++) {
                    assertThat(server.send(HttpRequest.newBuilder(URI.create(bans))
                                            .headers(
                                                    "Authorization", "Bearer wrong", "X-Forwarded-For", "192.0.2." + i))
                                    .statusCode())
                            .isEqualTo(401);
                }
                assertThat(status(server, bans)).isEqualTo(429);
            }
        });
    }
}
