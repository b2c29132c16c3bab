package io.headgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.Main;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.TlsFiles;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Certificates for Redis on the command line. A TLS server that requires a client certificate forwards to the Redis. */
class RedisTlsIT {

    private final RedisServer redis = RedisServer.startOwn();
    private final StringWriter out = new StringWriter();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TlsFiles files;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TlsFiles.Identity client;

    @SuppressWarnings("NullAway.Init") // set before each test
    private SSLServerSocket tlsServer;

    private String url = "";

    @BeforeEach
    void open() throws IOException {
        files = TlsFiles.in(folder);
        client = files.identity("client", "client.test");
        TlsFiles.Identity server = files.identity("server", "127.0.0.1");
        JdkSslContext context = (JdkSslContext) SslContextBuilder.forServer(
                        server.certificate().toFile(), server.key().toFile())
                .sslProvider(SslProvider.JDK)
                .trustManager(files.authority().toFile())
                .clientAuth(ClientAuth.REQUIRE)
                .build();
        tlsServer = (SSLServerSocket)
                context.context().getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        tlsServer.setNeedClientAuth(true);
        url = "rediss://127.0.0.1:" + tlsServer.getLocalPort();
        daemon(() -> {
            while (true) {
                Socket in = tlsServer.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), redis.port());
                daemon(() -> pump(in, to));
                daemon(() -> pump(to, in));
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        tlsServer.close();
        redis.close();
    }

    private interface Io {
        void run() throws IOException;
    }

    private static void daemon(Io what) {
        Thread thread = new Thread(() -> {
            try {
                what.run();
            } catch (IOException e) {
                // The peer has disconnected, or rejects the connection.
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void pump(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] some = new byte[8192];
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                out.write(some, 0, length);
                out.flush();
            }
        }
    }

    private int run(String command, String... options) {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.addAll(List.of("--redis", url, "--redis-timeout", "4s"));
        arguments.addAll(List.of(options));
        out.getBuffer().setLength(0);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(out));
        return line.execute(arguments.toArray(String[]::new));
    }

    private String[] certificates() {
        return new String[] {
            "--redis-ca", files.authority().toString(),
            "--redis-client-certificate", client.certificate().toString(),
            "--redis-client-key", client.key().toString()
        };
    }

    @Test
    void the_commands_present_the_given_certificate() {
        assertThat(run("queue enqueue mails one", certificates()))
                .as(out.toString())
                .isZero();
        assertThat(run("queue ls", certificates())).as(out.toString()).isZero();
        assertThat(out.toString()).contains("mails");
        run("doctor", certificates());
        assertThat(out.toString()).contains("ok       reachable");
        assertThat(run("queue ls", "--redis-ca", files.authority().toString())).isNotZero();
    }

    @Test
    void wrong_certificate_options_are_refused_with_the_reason() {
        assertThat(run("queue ls", "--redis-client-key", client.key().toString()))
                .isEqualTo(2);
        assertThat(out.toString()).contains("--redis-client-key needs --redis-client-certificate");
        assertThat(run("queue ls", "--redis-ca", "/none.pem")).isEqualTo(2);
        assertThat(out.toString()).contains("--redis-ca must be a readable file in PEM format, was /none.pem");
        url = redis.url();
        assertThat(run("doctor", certificates())).isEqualTo(2);
        assertThat(out.toString()).contains("--redis-ca: certificates are for TLS: the url must begin with rediss://");
    }
}
