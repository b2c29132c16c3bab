package io.headgate.server.operators;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.server.CliRun;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.ServerSettings;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A server with a file of operators: roles, names, rotation of tokens. */
class OperatorAccessTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String SINGLE = "the-single-operator-token";
    private static final String BAN = "{\"attribute\":\"user\",\"value\":\"mallory\",\"permanent\":true}";

    private final Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
    private final Logger files = (Logger) LoggerFactory.getLogger(WatchedFiles.class);
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path file;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        file = folder.resolve("operators.yaml");
        Files.writeString(
                file,
                "operators:\n" + entry("vera", "view", "token-of-vera") + entry("otto", "operate", "token-of-otto")
                        + entry("anna", "admin", "token-of-anna"));
        server = new TestServer(
                ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .drainDelay(Duration.ZERO)
                        .operatorToken(Optional.of(new BearerToken(SINGLE)))
                        .operators(Optional.of(OperatorsFile.open(file)))
                        .build(),
                TestServer.API);
        // The thread that watches files appends to it, too.
        written.list = new CopyOnWriteArrayList<>();
        written.start();
        log.addAppender(written);
        files.addAppender(written);
    }

    @AfterEach
    void stop() {
        log.detachAppender(written);
        files.detachAppender(written);
        server.close();
    }

    private static String entry(String name, String role, String token) {
        return "  - {name: " + name + ", role: " + role + ", sha256: "
                + TokenHash.of(token).hex() + "}\n";
    }

    private HttpResponse<String> get(String path, String token) {
        return server.send(HttpRequest.newBuilder(server.at(path)).header("Authorization", "Bearer " + token));
    }

    private HttpResponse<String> ban(String token) {
        return server.send(server.json("/v1/bans", BAN).header("Authorization", "Bearer " + token));
    }

    @Test
    void a_viewer_reads_and_changes_nothing() {
        assertThat(get("/v1/top", "token-of-vera").statusCode()).isEqualTo(200);
        assertThat(get("/v1/bans", "token-of-vera").statusCode()).isEqualTo(200);
        HttpResponse<String> refused = ban("token-of-vera");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("this call needs the role operate; yours is view");
        assertThat(server.send(server.json("/v1/bans/lift", BAN).header("Authorization", "Bearer token-of-vera"))
                        .statusCode())
                .isEqualTo(403);
        assertThat(get("/v1/bans", "token-of-vera").body()).isEqualTo("{\"entries\":[],\"total\":0}\n");
    }

    @Test
    void an_operators_name_is_in_the_log_and_in_a_ban() {
        assertThat(ban("token-of-otto").body()).contains("\"by\":\"otto\"");
        assertThat(ban("token-of-vera").statusCode()).isEqualTo(403);
        assertThat(ban("wrong-token").statusCode()).isEqualTo(401);
        assertThat(ban(SINGLE).body()).contains("\"by\":\"127.0.0.1\"");
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.startsWith("operator otto@127.0.0.1 add a ban: added "))
                .contains("operator vera@127.0.0.1 add a ban: refused with 403")
                .anyMatch(line -> line.startsWith("operator 127.0.0.1 add a ban: added "))
                .noneMatch(line -> line.contains("token-of"));
    }

    @Test
    void the_single_token_has_the_role_admin() {
        assertThat(get("/v1/bans", SINGLE).statusCode()).isEqualTo(200);
        assertThat(ban(SINGLE).statusCode()).isEqualTo(200);
    }

    @Test
    void a_token_is_replaced_while_the_server_runs() throws IOException {
        apply("operators:\n" + entry("otto", "operate", "token-of-otto") + entry("otto", "operate", "his-new-token"));
        assertThat(get("/v1/bans", "his-new-token").statusCode()).isEqualTo(200);
        assertThat(get("/v1/bans", "token-of-otto").statusCode()).isEqualTo(200);
        assertThat(get("/v1/bans", "token-of-anna").statusCode()).isEqualTo(401);

        apply("operators:\n" + entry("otto", "operate", "his-new-token"));
        assertThat(get("/v1/bans", "token-of-otto").statusCode()).isEqualTo(401);
        assertThat(get("/v1/bans", "his-new-token").statusCode()).isEqualTo(200);
    }

    @Test
    void a_directory_link_as_of_kubernetes_is_followed() throws IOException {
        Path first = Files.createDirectory(folder.resolve("..1"));
        Files.writeString(first.resolve("operators.yaml"), "operators:\n" + entry("ada", "view", "first-token"));
        Path link = Files.createSymbolicLink(folder.resolve("..data"), first.getFileName());
        Path mounted = Files.createSymbolicLink(folder.resolve("mounted.yaml"), Path.of("..data/operators.yaml"));
        try (OperatorsFile operators = OperatorsFile.open(mounted)) {
            assertThat(operators.current().withToken("first-token")).isPresent();
            Path second = Files.createDirectory(folder.resolve("..2"));
            Files.writeString(second.resolve("operators.yaml"), "operators:\n" + entry("ada", "view", "second-token"));
            Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), second.getFileName());
            Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
            Await.until(
                    "the file to be read again",
                    LONG,
                    () -> operators.current().withToken("second-token").isPresent());
            assertThat(operators.current().withToken("first-token")).isEmpty();
        }
    }

    @Test
    void an_invalid_version_is_logged_and_the_last_valid_one_stays_in_force() throws IOException {
        replace("operators: [{name: eve, role: root}]");
        Await.until(
                "the file to be read again",
                LONG,
                () -> logged("operators[0].role must be view, operate or admin, was \"root\""));
        assertThat(get("/v1/bans", "token-of-vera").statusCode()).isEqualTo(200);
        Files.delete(file);
        Await.until("the file to be read again", LONG, () -> logged("there is no file " + file));
        assertThat(get("/v1/bans", "token-of-vera").statusCode()).isEqualTo(200);
    }

    @Test
    void the_printed_line_admits_the_printed_token() throws IOException {
        CliRun run = CliRun.of("operator", "token", "--name", "ada@example.com", "--role", "operate");
        assertThat(run.exitCode()).as(run.err()).isZero();
        String token = run.out().lines().toList().get(1);
        String line = run.out().lines().toList().get(3);
        assertThat(token).matches("hgo_[A-Za-z0-9_-]{43}");
        assertThat(line)
                .startsWith("  - {name: \"ada@example.com\", role: operate, sha256: ")
                .doesNotContain(token);
        apply("operators:\n" + line + "\n");
        assertThat(ban(token).body()).contains("\"by\":\"ada@example.com\"");
    }

    private boolean logged(String part) {
        return written.list.stream()
                .anyMatch(event -> event.getFormattedMessage().contains(part));
    }

    /** Replaces the file, and waits until the server has applied it. */
    private void apply(String text) throws IOException {
        written.list.clear();
        replace(text);
        Await.until("the file to be applied", LONG, () -> logged("applied a new version of " + file));
    }

    private void replace(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
