package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A Redis that speaks TLS on a second port, with a certificate that nobody knows. */
record TlsRedis(RedisServer redis, int tlsPort) implements AutoCloseable {

    private static final String PASSWORD = "changeit";

    /** Starts one; the folder is for its certificate. */
    static TlsRedis start(Path folder) throws IOException {
        Path store = folder.resolve("store.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process made = new ProcessBuilder((keytool
                                + " -genkeypair -alias redis -keyalg EC -dname CN=localhost -validity 2 -storetype PKCS12"
                                + " -storepass " + PASSWORD + " -keystore " + store)
                        .split(" "))
                .inheritIO()
                .start();
        assertThat(made.onExit().join().exitValue()).isZero();
        Path key = folder.resolve("key.pem");
        Path certificate = folder.resolve("certificate.pem");
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(
                    key,
                    "PRIVATE KEY",
                    keys.getKey("redis", PASSWORD.toCharArray()).getEncoded());
            write(certificate, "CERTIFICATE", keys.getCertificate("redis").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        int port = freePort();
        RedisServer redis = RedisServer.startOwn(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                certificate.toString(),
                "--tls-key-file",
                key.toString(),
                "--tls-auth-clients",
                "no");
        return new TlsRedis(redis, port);
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return redis.port();
    }

    @Override
    public void close() {
        redis.close();
    }
}
