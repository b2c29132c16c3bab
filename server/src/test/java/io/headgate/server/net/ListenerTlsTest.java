package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.Policies;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.serve.ServerSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.TlsFiles;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners with TLS, client certificates of operators, and changed certificates. */
class ListenerTlsTest {

    private static final String TOKEN = "an-operators-own-secret";
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TlsFiles files;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TlsFiles.Identity own;

    @BeforeEach
    void certify() {
        files = TlsFiles.in(folder);
        own = files.identity("server", "127.0.0.1");
    }

    private ListenerTls tls(Optional<Path> authorities) {
        return ListenerTls.open("TLS", own.certificate(), own.key(), authorities);
    }

    private static ServerSettings.Builder settings() {
        return ServerSettings.builder(FREE)
                .drainDelay(Duration.ZERO)
                .operatorToken(Optional.of(new BearerToken(TOKEN)));
    }

    private HttpClient client(Optional<TlsFiles.Identity> identity) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(files.authority().toFile());
        identity.ifPresent(with ->
                builder.keyManager(with.certificate().toFile(), with.key().toFile()));
        return HttpClient.newBuilder()
                .sslContext(((JdkSslContext) builder.build()).context())
                .build();
    }

    private static HttpResponse<String> get(HttpClient client, String uri, String... fields) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofSeconds(60));
        if (fields.length > 0) {
            request.headers(fields);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void checks_and_their_bodies_pass_over_tls_in_both_versions_of_http(HttpClient.Version version) throws Exception {
        try (TestServer server = new TestServer(
                settings().tls(Optional.of(tls(Optional.empty()))).build(), TestServer.API)) {
            assertThat(server.server.uri().getScheme()).isEqualTo("https");
            HttpClient client = client(Optional.empty());
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> checked = client.send(
                        HttpRequest.newBuilder(server.at("/v1/check"))
                                .version(version)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"policy\":\"api\",\"attributes\":{\"user\":\"alice\"}}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(checked.version()).isEqualTo(version);
                assertThat(checked.body()).contains("\"allowed\":true");
            }
            assertThatThrownBy(() -> get(
                            HttpClient.newHttpClient(),
                            "http://127.0.0.1:" + server.server.address().getPort() + "/healthz"))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void the_bounds_of_a_connection_apply_over_tls() throws Exception {
        try (TestServer server = new TestServer(
                settings().tls(Optional.of(tls(Optional.empty()))).build(), TestServer.API)) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                HttpResponse<String> refused = client(Optional.empty())
                        .send(
                                HttpRequest.newBuilder(server.at("/v1/check"))
                                        .version(version)
                                        .header("Content-Type", "application/json")
                                        .POST(HttpRequest.BodyPublishers.ofString(" ".repeat(70_000)))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(refused.statusCode()).isEqualTo(413);
            }
        }
    }

    /** Without the gate before the codec, Netty ignores the length, and the request is answered. */
    @Test
    void a_request_that_two_programs_could_read_differently_is_refused_over_tls() throws Exception {
        try (TestServer server = new TestServer(
                        settings().tls(Optional.of(tls(Optional.empty()))).build(), TestServer.API);
                Socket socket = client(Optional.empty())
                        .sslContext()
                        .getSocketFactory()
                        .createSocket(
                                InetAddress.getLoopbackAddress(),
                                server.server.address().getPort())) {
            socket.getOutputStream()
                    .write(String.join(
                                    "\r\n",
                                    "POST /v1/check HTTP/1.1",
                                    "Host: localhost",
                                    "Content-Type: application/json",
                                    "Content-Length: 4",
                                    "Transfer-Encoding: chunked",
                                    "Connection: close",
                                    "",
                                    "0",
                                    "",
                                    "")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400")
                    .contains("Transfer-Encoding");
        }
    }

    @Test
    void a_client_certificate_names_its_operator_and_is_required() throws Exception {
        Path operators =
                Files.writeString(folder.resolve("operators.yaml"), "operators:\n  - {name: vera, role: view}\n");
        TlsFiles.Identity vera = files.identity("vera", "vera");
        TlsFiles.Identity eve = files.identity("eve", "eve");
        try (TestServer server = new TestServer(
                settings()
                        .operators(Optional.of(OperatorsFile.open(operators)))
                        .operatorListen(Optional.of(FREE))
                        .operatorTls(Optional.of(tls(Optional.of(files.authority()))))
                        .build(),
                Policies.of(List.of(TestServer.API)))) {
            String bans = server.server.operatorAddress().orElseThrow() + "/v1/bans";
            assertThat(bans).startsWith("https:");
            assertThat(get(client(Optional.of(vera)), bans).statusCode()).isEqualTo(200);
            HttpResponse<String> added = client(Optional.of(vera))
                    .send(
                            HttpRequest.newBuilder(URI.create(bans))
                                    .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(added.body()).contains("this call needs the role operate; yours is view");
            HttpResponse<String> unknown = get(client(Optional.of(eve)), bans);
            assertThat(unknown.statusCode()).isEqualTo(401);
            assertThat(unknown.body())
                    .contains(
                            "the common name of your client certificate, \\\"eve\\\", is not the name of an operator");
            assertThat(get(client(Optional.of(eve)), bans, "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(get(client(Optional.of(vera)), bans, "Authorization", "Bearer wrong")
                            .statusCode())
                    .isEqualTo(401);
            assertThatThrownBy(() -> get(client(Optional.empty()), bans, "Authorization", "Bearer " + TOKEN))
                    .isInstanceOf(IOException.class);
            assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void a_certificate_of_another_authority_is_refused() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        TlsFiles.Identity forged = TlsFiles.in(other).identity("vera", "vera");
        try (TestServer server = new TestServer(
                settings()
                        .operatorListen(Optional.of(FREE))
                        .operatorTls(Optional.of(tls(Optional.of(files.authority()))))
                        .build(),
                TestServer.API)) {
            String bans = server.server.operatorAddress().orElseThrow() + "/v1/bans";
            assertThatThrownBy(() -> get(client(Optional.of(forged)), bans)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void new_connections_use_a_changed_certificate_and_an_invalid_one_is_ignored() throws Exception {
        try (TestServer server = new TestServer(
                settings().tls(Optional.of(tls(Optional.empty()))).build(), TestServer.API)) {
            X509Certificate before = certificateOf(server);
            TlsFiles.Identity next = files.identity("next", "127.0.0.1");
            Files.move(next.certificate(), own.certificate(), StandardCopyOption.REPLACE_EXISTING);
            // The certificate alone is rejected, because the key is not its own.
            assertThat(certificateOf(server)).isEqualTo(before);
            Files.move(next.key(), own.key(), StandardCopyOption.REPLACE_EXISTING);
            Await.until("another certificate", Duration.ofSeconds(60), () -> !certificateOf(server)
                    .equals(before));
        }
    }

    private X509Certificate certificateOf(TestServer server) {
        try {
            HttpResponse<String> response =
                    get(client(Optional.empty()), server.at("/healthz").toString());
            return (X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0];
        } catch (Exception e) {
            throw new AssertionError("no certificate", e);
        }
    }

    @Test
    void files_that_do_not_belong_together_or_are_no_certificates_are_errors() throws IOException {
        TlsFiles.Identity other = files.identity("other", "127.0.0.1");
        assertThatThrownBy(() -> ListenerTls.open("TLS", own.certificate(), other.key(), Optional.empty()))
                .hasMessage("the key is not that of the certificate");
        assertThatThrownBy(() -> ListenerTls.open("TLS", own.key(), own.key(), Optional.empty()))
                .hasMessageContaining("the certificate must be in PEM format");
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> ListenerTls.open("TLS", missing, own.key(), Optional.empty()))
                .hasMessage("there is no file " + missing);
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        assertThatThrownBy(() -> tls(Optional.of(empty))).hasMessageContaining("authorities of clients");
    }
}
