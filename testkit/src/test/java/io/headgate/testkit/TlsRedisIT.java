package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ServerVersionSensitive
class TlsRedisIT {

    @Test
    void a_client_that_trusts_the_authority_and_uses_the_right_name_connects_with_tls(@TempDir Path folder)
            throws Exception {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis redis = TlsRedis.start(files, files.identity("server", "127.0.0.1"));
                TlsRedis named = TlsRedis.start(files, files.identity("named", "redis.test"));
                RedisProbe plain = RedisProbe.of(redis.server().url())) {
            assertThat(plain.command("PING")).isEqualTo("PONG");
            assertThat(redis.tlsUrl()).isEqualTo("rediss://127.0.0.1:" + redis.tlsPort());
            assertThat(ping(redis, trusting(files.trustStore()))).isEqualTo("+PONG");
            assertThatThrownBy(() -> ping(redis, SSLContext.getDefault())).isInstanceOf(SSLException.class);
            assertThatThrownBy(() -> ping(named, trusting(files.trustStore()))).isInstanceOf(SSLException.class);
        }
    }

    private static String ping(TlsRedis redis, SSLContext context) throws IOException {
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", redis.tlsPort())) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.UTF_8);
        }
    }

    private static SSLContext trusting(Path store) throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, TlsFiles.PASSWORD.toCharArray());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
