package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.limits.bans.IpBlock;
import io.headgate.server.TestServer;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.serve.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operators that an authenticating proxy names. The client of these tests connects from 127.0.0.1. */
class AuthenticatingProxyTest {

    private static final String FIELD = "X-Operator";
    private static final String TOKEN = "an-operators-own-secret";
    private static final String BAN = "{\"attribute\":\"user\",\"value\":\"mallory\",\"permanent\":true}";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private TestServer trusting(String proxy) throws IOException {
        Path file = Files.writeString(
                folder.resolve("operators.yaml"),
                "operators:\n  - {name: vera, role: view}\n  - {name: otto, role: operate}\n");
        return new TestServer(
                ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .drainDelay(Duration.ZERO)
                        .operatorToken(Optional.of(new BearerToken(TOKEN)))
                        .operators(Optional.of(OperatorsFile.open(file)))
                        .operatorProxy(Optional.of(new AuthenticatingProxy(IpBlock.parse("proxy", proxy), FIELD)))
                        .build(),
                TestServer.API);
    }

    private static HttpResponse<String> ban(TestServer server, String... fields) {
        HttpRequest.Builder request = server.json("/v1/bans", BAN);
        return server.send(request.headers(fields));
    }

    @Test
    void the_proxy_names_an_operator_whose_role_counts() throws IOException {
        try (TestServer server = trusting("127.0.0.1")) {
            assertThat(server.get("/v1/bans", FIELD, "vera").statusCode()).isEqualTo(200);
            assertThat(ban(server, FIELD, "vera").body()).contains("this call needs the role operate; yours is view");
            assertThat(ban(server, FIELD, "otto").body()).contains("\"by\":\"otto\"");
            // The proxy may pass on a token that its clients send to it.
            assertThat(server.get("/v1/bans", FIELD, "vera", "Authorization", "Bearer of-the-proxy")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void an_unknown_user_of_the_proxy_is_refused() throws IOException {
        try (TestServer server = trusting("127.0.0.0/8")) {
            for (String user : new String[] {"eve", ""}) {
                HttpResponse<String> refused = server.get("/v1/bans", FIELD, user);
                assertThat(refused.statusCode()).isEqualTo(401);
                assertThat(refused.body()).contains("the user that the proxy names", "is not the name of an operator");
            }
            HttpResponse<String> twice = server.get("/v1/bans", FIELD, "vera", FIELD, "otto");
            assertThat(twice.statusCode()).isEqualTo(400);
            assertThat(twice.body()).contains("the proxy sent the field X-Operator more than once");
            assertThat(server.get("/v1/bans").statusCode()).isEqualTo(401);
            assertThat(server.get("/v1/bans", "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void the_field_of_a_client_at_another_address_is_ignored() throws IOException {
        try (TestServer server = trusting("192.0.2.1")) {
            assertThat(server.get("/v1/bans", FIELD, "otto").statusCode()).isEqualTo(401);
            assertThat(server.get("/v1/bans", FIELD, "otto", "X-Forwarded-For", "192.0.2.1")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(server.get("/v1/bans", FIELD, "eve", "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void a_page_of_another_site_is_refused_also_through_the_proxy() throws IOException {
        try (TestServer server = trusting("127.0.0.1")) {
            assertThat(ban(server, FIELD, "otto", "Origin", "https://evil.example")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(ban(server, FIELD, "otto", "Sec-Fetch-Site", "cross-site")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(server.get("/v1/bans", FIELD, "otto").body()).contains("\"total\":0");
        }
    }

    @Test
    void the_usual_fields_of_authenticating_proxies_are_accepted_and_all_addresses_are_not() {
        IpBlock proxy = IpBlock.parse("proxy", "10.0.7.1");
        assertThat(new AuthenticatingProxy(proxy, "X-Forwarded-User").userHeader())
                .isEqualTo("X-Forwarded-User");
        assertThatIllegalArgumentException().isThrownBy(() -> new AuthenticatingProxy(proxy, "X-Forwarded-For"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AuthenticatingProxy(IpBlock.parse("proxy", "0.0.0.0/0"), FIELD))
                .withMessageContaining("would trust every client");
    }

    @Test
    void several_tokens_in_one_request_are_refused() throws IOException {
        try (TestServer server = trusting("192.0.2.1")) {
            String token = "Bearer " + TOKEN;
            assertThat(server.get("/v1/bans", "Authorization", token, "Authorization", "Basic b3Blbg==")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void a_certificate_with_several_common_names_names_no_operator() {
        assertThat(ClientCertificate.commonName("CN=ada,O=acme")).contains("ada");
        assertThat(ClientCertificate.commonName("CN=ada+CN=eve,O=acme")).isEmpty();
        assertThat(ClientCertificate.commonName("CN=ada,CN=eve")).isEmpty();
        assertThat(ClientCertificate.commonName("C=DE+CN=ada")).isEmpty();
    }
}
