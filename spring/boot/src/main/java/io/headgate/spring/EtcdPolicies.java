package io.headgate.spring;

import io.headgate.config.etcd.EtcdPolicyStore;
import io.headgate.config.etcd.EtcdSettings;
import io.headgate.config.sources.PolicySource;
import java.nio.file.Path;

/** Opens the policies in etcd. Only this class of the starter uses the client of etcd. */
final class EtcdPolicies {

    private static final String PREFIX = "headgate.etcd.";

    private EtcdPolicies() {}

    static PolicySource open(HeadgateProperties.Etcd etcd) {
        String property = PREFIX + "url";
        String url = StoreProperties.required("etcd", property, etcd.url());
        EtcdSettings settings = StoreProperties.valid(property, () -> EtcdSettings.of(url));
        settings = StoreProperties.with(settings, PREFIX + "key-prefix", etcd.keyPrefix(), EtcdSettings::withKeyPrefix);
        settings = StoreProperties.with(
                settings, PREFIX + "user", etcd.user(), PREFIX + "password", etcd.password(), EtcdSettings::withUser);
        settings = StoreProperties.with(
                settings, PREFIX + "ca", etcd.ca(), (all, pem) -> all.withTrustedCertificates(Path.of(pem)));
        return EtcdPolicyStore.connect(StoreProperties.with(
                settings,
                PREFIX + "client-certificate",
                etcd.clientCertificate(),
                PREFIX + "client-key",
                etcd.clientKey(),
                (all, pem, key) -> all.withClientCertificate(Path.of(pem), Path.of(key))));
    }
}
