package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.etcd.EtcdPolicyStore;
import io.headgate.config.etcd.EtcdSettings;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Policies in a real etcd. */
@Requires(Requirement.ETCD)
@Timeout(120)
class EtcdPoliciesIT {

    @Test
    void policies_in_etcd_are_applied_and_reported() {
        try (EtcdServer etcd = EtcdServer.start();
                EtcdPolicyStore store =
                        EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()).withKeyPrefix("shop"))) {
            StoredPolicies.areApplied(
                    store,
                    "headgate.policies-from=etcd",
                    "headgate.etcd.url=" + etcd.url(),
                    "headgate.etcd.key-prefix=shop");
        }
    }

    @Test
    void an_etcd_that_requires_a_client_certificate_is_used_over_tls(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        TlsFiles.Identity client = files.identity("client", "client.test");
        try (EtcdServer etcd = EtcdServer.startWithTls(
                        files.identity("server", "127.0.0.1"),
                        "--client-cert-auth",
                        "--trusted-ca-file",
                        files.authority().toString());
                EtcdPolicyStore store = EtcdPolicyStore.connect(EtcdSettings.of(etcd.url())
                        .withTrustedCertificates(files.authority())
                        .withClientCertificate(client.certificate(), client.key()))) {
            StoredPolicies.areApplied(
                    store,
                    "headgate.policies-from=etcd",
                    "headgate.etcd.url=" + etcd.url(),
                    "headgate.etcd.ca=" + files.authority(),
                    "headgate.etcd.client-certificate=" + client.certificate(),
                    "headgate.etcd.client-key=" + client.key());
        }
    }

    @Test
    void an_application_does_not_start_without_policies() {
        try (EtcdServer etcd = EtcdServer.start()) {
            assertThatThrownBy(() -> StoredPolicies.run(
                            "headgate.policies-from=etcd", "headgate.etcd.url=" + etcd.url()))
                    .rootCause()
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("has no policies; write them with headgate policy apply");
        }
    }
}
