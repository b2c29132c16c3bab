package io.headgate.config.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulSettingsTest {

    @Test
    void a_url_has_a_scheme_and_a_host_and_may_have_a_port() {
        assertThat(ConsulSettings.of("http://127.0.0.1/").address()).isEqualTo("http://127.0.0.1:8500");
        assertThat(ConsulSettings.of("https://consul.test").address()).isEqualTo("https://consul.test:8501");
        assertThat(ConsulSettings.of("http://[::1]:1").address()).isEqualTo("http://[::1]:1");
        ConsulSettings secret = ConsulSettings.of("http://h").withToken("s3cret");
        assertThat(secret.token()).contains("s3cret");
        assertThat(secret.toString()).isEqualTo("ConsulSettings[http://h:8500, keyPrefix=hg]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "127.0.0.1:8500",
                "consul://secret",
                "unix:///secret.sock",
                "http://",
                "http://secret:",
                "http://secret:x",
                "http://secret_1",
                "http://a,secret",
                "http://alice:secret@h",
                "http://h/secret",
                "http://h?token=secret"
            })
    void a_wrong_url_is_rejected_without_repeating_it(String url) {
        assertThatThrownBy(() -> ConsulSettings.of(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the URL of Consul must be such as http://127.0.0.1:8500")
                .message()
                .doesNotContain("secret");
    }

    @Test
    void values_are_checked() {
        assertThatThrownBy(() -> ConsulSettings.of("http://h:65536"))
                .hasMessage("the port of Consul must be at most 65535, was 65536");
        ConsulSettings plain = ConsulSettings.of("http://h");
        assertThatThrownBy(() -> plain.withKeyPrefix("a/b"))
                .hasMessage(
                        "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"a/b\"");
        assertThatThrownBy(() -> plain.withToken("two words"))
                .hasMessage("the token of Consul must have 1 to 512 visible characters of ASCII, has 9");
        assertThatThrownBy(() -> plain.withToken("")).isInstanceOf(IllegalArgumentException.class);
        assertThat(plain.withKeyPrefix("shop").keyPrefix()).isEqualTo("shop");
    }

    @Test
    void certificates_are_readable_files_and_for_tls_only(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.pem"), "");
        ConsulSettings tls = ConsulSettings.of("https://h");
        assertThat(tls.withTrustedCertificates(file).trusted()).contains(file);
        assertThat(tls.withClientCertificate(file, file).certificate()).isPresent();
        assertThatThrownBy(() -> tls.withTrustedCertificates(folder.resolve("none.pem")))
                .hasMessage(
                        "trustedCertificates must be a readable file in PEM format, was " + folder.resolve("none.pem"));
        ConsulSettings plain = ConsulSettings.of("http://h");
        assertThatThrownBy(() -> plain.withTrustedCertificates(file))
                .hasMessage("certificates are for TLS: the URL of Consul must begin with https://");
        assertThatThrownBy(() -> plain.withClientCertificate(file, file))
                .hasMessageContaining("certificates are for TLS");
    }
}
