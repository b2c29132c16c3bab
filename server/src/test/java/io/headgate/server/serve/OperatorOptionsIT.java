package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.testkit.TlsFiles;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code headgate serve} applies the options for operators and TLS. */
@Execution(ExecutionMode.CONCURRENT)
class OperatorOptionsIT {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void operators_have_a_listener_with_client_certificates() throws Exception {
        TlsFiles files = TlsFiles.in(folder);
        TlsFiles.Identity own = files.identity("server", "127.0.0.1");
        TlsFiles.Identity ada = files.identity("ada", "ada");
        Path operators =
                Files.writeString(folder.resolve("operators.yaml"), "operators: [{name: ada, role: operate}]\n");
        HttpClient client = HttpClient.newBuilder()
                .sslContext(((JdkSslContext) SslContextBuilder.forClient()
                                .sslProvider(SslProvider.JDK)
                                .trustManager(files.authority().toFile())
                                .keyManager(
                                        ada.certificate().toFile(), ada.key().toFile())
                                .build())
                        .context())
                .build();
        try (ServerProcess server = ServerProcess.start(
                "serve",
                "--policies",
                "../examples/api.yaml",
                "--port",
                "0",
                "--drain-delay",
                "0ms",
                "--tls-certificate",
                own.certificate().toString(),
                "--tls-key",
                own.key().toString(),
                "--operators",
                operators.toString(),
                "--operator-bind",
                "127.0.0.1:0",
                "--operator-tls-client-ca",
                files.authority().toString())) {
            String checks = server.awaitLine("listening on (https://\\S+) \\(status page");
            String address = server.awaitLine("operators: listening on (https://\\S+)");
            assertThat(status(client, address + "/v1/bans")).isEqualTo(200);
            assertThat(status(client, checks + "/v1/bans")).isEqualTo(404);
            assertThat(status(client, checks + "/healthz")).isEqualTo(200);
            server.awaitLine("operator ada@127.0.0.1 list bans: listed 0");
            server.terminate();
            assertThat(server.awaitExit()).isZero();
        }
    }

    @Test
    void tokens_in_clear_text_beyond_this_machine_are_a_warning() throws Exception {
        try (ServerProcess server = ServerProcess.start(
                "serve",
                "--policies",
                "../examples/api.yaml",
                "--port",
                "0",
                "--bind",
                "0.0.0.0",
                "--operator-token",
                "sixteen-or-more-characters")) {
            server.awaitLine("operator tokens cross the network in clear text; give --tls-certificate");
        }
    }

    private static int status(HttpClient client, String uri) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
