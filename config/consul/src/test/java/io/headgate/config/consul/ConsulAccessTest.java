package io.headgate.config.consul;

import static io.headgate.config.consul.PolicyTexts.apply;
import static io.headgate.config.consul.PolicyTexts.text;
import static io.headgate.config.consul.PolicyTexts.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.stores.ClientCertificate;
import io.headgate.testkit.Await;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.consul.ConsulStandIn;
import io.headgate.testkit.consul.ConsulToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens and TLS. */
@Timeout(120)
class ConsulAccessTest {

    private static final String POLICIES = "hg/config/policies/";

    private static ConsulPolicyStore connect(ConsulStandIn consul, String token) {
        return ConsulPolicyStore.connect(ConsulSettings.of(consul.url()).withToken(token));
    }

    @Test
    void a_token_needs_rights_to_the_keys_of_the_policies_only() {
        try (ConsulStandIn consul = ConsulStandIn.start()) {
            consul.allow("writer", new ConsulToken(POLICIES, true, true));
            consul.allow("reader", new ConsulToken(POLICIES, false, false));
            consul.allow("other", new ConsulToken("other/", true, true));
            try (ConsulPolicyStore none = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()));
                    ConsulPolicyStore wrong = connect(consul, "wrong");
                    ConsulPolicyStore other = connect(consul, "other");
                    ConsulPolicyStore writer = connect(consul, "writer");
                    ConsulPolicyStore reader = connect(consul, "reader")) {
                assertThatThrownBy(none::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("Consul denies the token access: Permission denied");
                assertThatThrownBy(wrong::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("Consul denies the token access: ACL not found");
                assertThatThrownBy(other::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("read hg/config/policies/current: Consul denies the token access");
                String first = apply(writer, text(1));
                assertThat(reader.read().version()).isEqualTo(first);
                assertThatThrownBy(() -> reader.apply(update(Optional.of(first), text(2))))
                        .hasMessageContaining("Consul denies the token access");
                assertThat(writer.history(100)).hasSize(1);
                appliesWithoutReports(writer, reader);
            }
        }
    }

    private static void appliesWithoutReports(ConsulPolicyStore writer, ConsulPolicyStore reader) {
        List<String> notified = new CopyOnWriteArrayList<>();
        reader.watch(() -> notified.add(reader.read().version()));
        String second = apply(writer, text(2));
        Await.until("version " + second, Duration.ofSeconds(60), () -> notified.contains(second));
        assertThat(writer.instances()).isEmpty();
    }

    private static SSLContext server(TlsFiles files) {
        TlsFiles.Identity identity = files.identity("server", "127.0.0.1");
        return ConsulTls.of(
                        Optional.of(files.authority()),
                        Optional.of(new ClientCertificate(identity.certificate(), identity.key())))
                .context();
    }

    @Test
    void tls_trusts_the_given_authority_only(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (ConsulStandIn consul = ConsulStandIn.startWithTls(server(files), false);
                ConsulPolicyStore trusting = ConsulPolicyStore.connect(
                        ConsulSettings.of(consul.url()).withTrustedCertificates(files.authority()));
                ConsulPolicyStore other = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()));
                ConsulPolicyStore wrongName =
                        ConsulPolicyStore.connect(ConsulSettings.of("https://localhost:" + consul.port())
                                .withTrustedCertificates(files.authority()));
                ConsulPolicyStore plain =
                        ConsulPolicyStore.connect(ConsulSettings.of(consul.url().replace("https", "http")))) {
            String version = apply(trusting, text(1));
            assertThat(trusting.read().version()).isEqualTo(version);
            assertThatThrownBy(other::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("unable to find valid certification path");
            assertThatThrownBy(wrongName::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("localhost");
            assertThatThrownBy(plain::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("Consul cannot be reached");
        }
    }

    @Test
    void a_client_certificate_is_presented(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        TlsFiles.Identity client = files.identity("client", "client.test");
        try (ConsulStandIn consul = ConsulStandIn.startWithTls(server(files), true);
                ConsulPolicyStore with = ConsulPolicyStore.connect(ConsulSettings.of(consul.url())
                        .withTrustedCertificates(files.authority())
                        .withClientCertificate(client.certificate(), client.key()));
                ConsulPolicyStore without = ConsulPolicyStore.connect(
                        ConsulSettings.of(consul.url()).withTrustedCertificates(files.authority()))) {
            apply(with, text(1));
            assertThatThrownBy(without::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("Consul cannot be reached");
        }
    }

    @Test
    void a_replaced_file_of_authorities_is_read_again(@TempDir Path folder) throws Exception {
        TlsFiles files = TlsFiles.in(Files.createDirectory(folder.resolve("files")));
        TlsFiles others = TlsFiles.in(Files.createDirectory(folder.resolve("others")));
        Path trusted = Files.copy(others.authority(), folder.resolve("ca.pem"));
        try (ConsulStandIn consul = ConsulStandIn.startWithTls(server(files), false);
                ConsulPolicyStore store = ConsulPolicyStore.connect(
                        ConsulSettings.of(consul.url()).withTrustedCertificates(trusted))) {
            assertThatThrownBy(store::read).hasMessageContaining("Consul cannot be reached");
            Files.writeString(trusted, "half of a file");
            assertThatThrownBy(store::read).hasMessageContaining("Consul cannot be reached");
            Files.copy(files.authority(), trusted, StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(store::read).hasMessageContaining("Consul cannot be reached");
            assertThatThrownBy(store::read).hasMessageContaining("has no policies");
        }
    }

    @Test
    void an_invalid_certificate_is_rejected_before_anything_is_connected(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.pem"), "no certificate");
        ConsulSettings settings = ConsulSettings.of("https://127.0.0.1");
        assertThatThrownBy(() -> ConsulPolicyStore.connect(settings.withTrustedCertificates(file)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("the certificates for Consul are invalid");
        Path authority = TlsFiles.in(folder).authority();
        assertThatThrownBy(() -> ConsulPolicyStore.connect(settings.withClientCertificate(authority, file)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " has no private key: PKCS 8, without a password");
    }
}
