package io.headgate.config.etcd;

import static io.headgate.config.etcd.PolicyTexts.apply;
import static io.headgate.config.etcd.PolicyTexts.text;
import static io.headgate.config.etcd.PolicyTexts.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.auth.Permission;
import io.etcd.jetcd.options.OptionsUtil;
import io.headgate.config.ConfigException;
import io.headgate.testkit.Await;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users and TLS. */
@Requires(Requirement.ETCD)
@Timeout(120)
class EtcdAccessIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String SECRET = "s3cret@:%";

    private static ByteSequence bytes(String text) {
        return EtcdLink.bytes(text);
    }

    private static void addUser(EtcdProbe probe, String user, String prefix, Permission.Type type) {
        Auth auth = probe.call(etcd -> CompletableFuture.completedFuture(etcd.getAuthClient()));
        ByteSequence end = OptionsUtil.prefixEndOf(bytes(prefix));
        probe.call(etcd -> auth.userAdd(bytes(user), bytes(SECRET)));
        probe.call(etcd -> auth.roleAdd(bytes(user)));
        probe.call(etcd -> auth.roleGrantPermission(bytes(user), bytes(prefix), end, type));
        probe.call(etcd -> auth.userGrantRole(bytes(user), bytes(user)));
    }

    private static EtcdPolicyStore connect(EtcdServer etcd, String user) {
        return EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()).withUser(user, SECRET));
    }

    @Test
    void a_user_needs_rights_to_the_keys_of_the_policies_only() {
        try (EtcdServer etcd = EtcdServer.start()) {
            try (EtcdProbe probe = new EtcdProbe(etcd)) {
                addUser(probe, "alice", "/hg/config/policies/", Permission.Type.READWRITE);
                addUser(probe, "reader", "/hg/config/policies/", Permission.Type.READ);
                addUser(probe, "other", "/other/", Permission.Type.READWRITE);
                addUser(probe, "root", "/", Permission.Type.READWRITE);
                probe.call(client -> client.getAuthClient().authEnable());
            }
            try (EtcdPolicyStore none = EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()));
                    EtcdPolicyStore wrong =
                            EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()).withUser("alice", "wrong"));
                    EtcdPolicyStore other = connect(etcd, "other");
                    EtcdPolicyStore alice = EtcdPolicyStore.connect(
                            EtcdSettings.of(etcd.url().replace("http://", "http://alice:s3cret%40%3a%25@")));
                    EtcdPolicyStore reader = connect(etcd, "reader")) {
                assertThatThrownBy(none::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("etcd requires a user and a password");
                assertThatThrownBy(wrong::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("etcd rejects the user or the password");
                assertThatThrownBy(other::read)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("etcd denies the user access to this key");
                String first = apply(alice, text(1));
                assertThat(reader.read().version()).isEqualTo(first);
                assertThatThrownBy(() -> reader.apply(update(Optional.of(first), text(2))))
                        .hasMessageContaining("etcd denies the user access to this key");
                assertThat(alice.history(100)).hasSize(1);
                continuesAfterRestart(etcd, alice, reader);
            }
        }
    }

    /** After a restart, etcd has forgotten the tokens of all clients. */
    private static void continuesAfterRestart(EtcdServer etcd, EtcdPolicyStore alice, EtcdPolicyStore reader) {
        List<String> notified = new CopyOnWriteArrayList<>();
        reader.watch(() -> notified.add(reader.read().version()));
        etcd.kill();
        etcd.restart();
        Await.until("the connection of alice", LONG, () -> connected(alice));
        String second = apply(alice, text(2));
        Await.until("version " + second, LONG, () -> notified.contains(second));
        assertThat(alice.instances()).isEmpty();
    }

    /** The client pauses between its attempts to connect, then gets a new token, and meanwhile each call fails. */
    private static boolean connected(EtcdPolicyStore store) {
        try {
            store.read();
            return true;
        } catch (ConfigException e) {
            assertThat(e)
                    .message()
                    .containsAnyOf("etcd cannot be reached", "etcd did not reply within", "invalid auth token");
            return false;
        }
    }

    @Test
    void tls_trusts_the_given_authority_only(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (EtcdServer etcd = EtcdServer.startWithTls(files.identity("server", "127.0.0.1"));
                EtcdPolicyStore trusting = EtcdPolicyStore.connect(
                        EtcdSettings.of(etcd.url()).withTrustedCertificates(files.authority()));
                EtcdPolicyStore other = EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()));
                EtcdPolicyStore wrongName = EtcdPolicyStore.connect(EtcdSettings.of("https://localhost:" + etcd.port())
                        .withTrustedCertificates(files.authority()));
                EtcdPolicyStore plain =
                        EtcdPolicyStore.connect(EtcdSettings.of(etcd.url().replace("https", "http")))) {
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
                    .hasMessageContaining("etcd cannot be reached");
        }
    }

    @Test
    void a_client_certificate_is_presented(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        TlsFiles.Identity client = files.identity("client", "client.test");
        try (EtcdServer etcd = EtcdServer.startWithTls(
                        files.identity("server", "127.0.0.1"),
                        "--client-cert-auth",
                        "--trusted-ca-file",
                        files.authority().toString());
                EtcdPolicyStore with = EtcdPolicyStore.connect(EtcdSettings.of(etcd.url())
                        .withTrustedCertificates(files.authority())
                        .withClientCertificate(client.certificate(), client.key()));
                EtcdPolicyStore without = EtcdPolicyStore.connect(
                        EtcdSettings.of(etcd.url()).withTrustedCertificates(files.authority()))) {
            apply(with, text(1));
            assertThatThrownBy(without::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("etcd cannot be reached");
        }
    }

    @Test
    void a_replaced_file_of_authorities_is_read_again(@TempDir Path folder) throws Exception {
        TlsFiles files = TlsFiles.in(Files.createDirectory(folder.resolve("files")));
        TlsFiles others = TlsFiles.in(Files.createDirectory(folder.resolve("others")));
        Path trusted = Files.copy(others.authority(), folder.resolve("ca.pem"));
        try (EtcdServer etcd = EtcdServer.startWithTls(files.identity("server", "127.0.0.1"));
                EtcdPolicyStore store =
                        EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()).withTrustedCertificates(trusted))) {
            assertThatThrownBy(store::read).hasMessageContaining("etcd cannot be reached");
            Files.writeString(trusted, "half of a file");
            assertThatThrownBy(store::read).hasMessageContaining("etcd cannot be reached");
            Files.copy(files.authority(), trusted, StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(store::read).hasMessageContaining("etcd cannot be reached");
            apply(store, text(1));
        }
    }

    @Test
    void an_invalid_certificate_is_rejected_before_anything_is_connected(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.pem"), "no certificate");
        EtcdSettings settings = EtcdSettings.of("https://127.0.0.1").withTrustedCertificates(file);
        assertThatThrownBy(() -> EtcdPolicyStore.connect(settings)).isInstanceOf(ConfigException.class);
    }
}
