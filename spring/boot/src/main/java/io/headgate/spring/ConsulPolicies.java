package io.headgate.spring;

import io.headgate.config.consul.ConsulPolicyStore;
import io.headgate.config.consul.ConsulSettings;
import io.headgate.config.sources.PolicySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the policies in Consul. Only this class of the starter uses the client of Consul. */
final class ConsulPolicies {

    private static final String PREFIX = "headgate.consul.";

    private ConsulPolicies() {}

    static PolicySource open(HeadgateProperties.Consul consul) {
        String property = PREFIX + "url";
        String url = StoreProperties.required("consul", property, consul.url());
        ConsulSettings settings = StoreProperties.valid(property, () -> ConsulSettings.of(url));
        settings = StoreProperties.with(
                settings, PREFIX + "key-prefix", consul.keyPrefix(), ConsulSettings::withKeyPrefix);
        settings = StoreProperties.with(settings, PREFIX + "token", consul.token(), ConsulSettings::withToken);
        settings = StoreProperties.with(
                settings, PREFIX + "token-file", consul.tokenFile(), (all, file) -> all.withToken(token(file)));
        settings = StoreProperties.with(
                settings, PREFIX + "ca", consul.ca(), (all, pem) -> all.withTrustedCertificates(Path.of(pem)));
        return ConsulPolicyStore.connect(StoreProperties.with(
                settings,
                PREFIX + "client-certificate",
                consul.clientCertificate(),
                PREFIX + "client-key",
                consul.clientKey(),
                (all, pem, key) -> all.withClientCertificate(Path.of(pem), Path.of(key))));
    }

    private static String token(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("must be a readable file with a token, was " + file, e);
        }
    }
}
