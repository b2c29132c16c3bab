package io.headgate.config.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdSettingsTest {

    @Test
    void a_url_has_members_and_may_have_a_user() {
        EtcdSettings one = EtcdSettings.of("http://127.0.0.1/");
        assertThat(one.endpoints()).containsExactly(URI.create("http://127.0.0.1:2379"));
        assertThat(one.isTls()).isFalse();
        assertThat(one.credentials()).isEmpty();
        EtcdSettings three = EtcdSettings.of("https://al%69ce:p%40ss+w:rd@etcd-1:1,etcd-2.prod,[::1]:3");
        assertThat(three.address()).isEqualTo("https://etcd-1:1,etcd-2.prod:2379,[::1]:3");
        assertThat(three.isTls()).isTrue();
        assertThat(three.credentials()).contains(new EtcdSettings.Credentials("alice", "p@ss+w:rd"));
        assertThat(three.toString()).isEqualTo("EtcdSettings[" + three.address() + ", keyPrefix=hg]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "127.0.0.1:2379",
                "etcd://secret",
                "http://",
                "http://secret:",
                "http://secret:x",
                "http://secret_1",
                "http://a,,secret",
                "http://alice@secret",
                "http://alice:se%ret@h",
                "http://alice:sec/ret@h",
                "http://h/secret"
            })
    void a_wrong_url_is_rejected_without_repeating_it(String url) {
        assertThatThrownBy(() -> EtcdSettings.of(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the URL of etcd must be such as http://127.0.0.1:2379")
                .message()
                .doesNotContain("secret");
    }

    @Test
    void values_are_checked() {
        assertThatThrownBy(() -> EtcdSettings.of("http://h:65536"))
                .hasMessage("a port of etcd must be at most 65535, was 65536");
        EtcdSettings plain = EtcdSettings.of("http://h");
        assertThatThrownBy(() -> plain.withKeyPrefix("a/b"))
                .hasMessage(
                        "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"a/b\"");
        assertThatThrownBy(() -> plain.withUser("", "x"))
                .hasMessage("the user and the password of etcd must not be empty");
        assertThat(plain.withKeyPrefix("shop").keyPrefix()).isEqualTo("shop");
    }

    @Test
    void certificates_are_readable_files_and_for_tls_only(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.pem"), "");
        EtcdSettings tls = EtcdSettings.of("https://h");
        assertThat(tls.withTrustedCertificates(file).trusted()).contains(file);
        assertThat(tls.withClientCertificate(file, file).certificate()).isPresent();
        assertThatThrownBy(() -> tls.withTrustedCertificates(folder.resolve("none.pem")))
                .hasMessage(
                        "trustedCertificates must be a readable file in PEM format, was " + folder.resolve("none.pem"));
        EtcdSettings plain = EtcdSettings.of("http://h");
        assertThatThrownBy(() -> plain.withTrustedCertificates(file))
                .hasMessage("certificates are for TLS: the URL of etcd must begin with https://");
        assertThatThrownBy(() -> plain.withClientCertificate(file, file))
                .hasMessageContaining("certificates are for TLS");
    }
}
