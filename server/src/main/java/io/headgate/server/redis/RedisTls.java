package io.headgate.server.redis;

import io.lettuce.core.SslOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The TLS options of a command: trusted authorities, and the client certificate. */
public final class RedisTls {

    static final String TRUSTED = "trusted-certificates";
    static final String TRUSTED_OPTION = "--redis-ca";
    static final String CERTIFICATE = "client-certificate";
    static final String CERTIFICATE_OPTION = "--redis-client-certificate";
    static final String KEY = "client-key";
    static final String KEY_OPTION = "--redis-client-key";

    @Option(
            names = TRUSTED_OPTION,
            paramLabel = "FILE",
            description =
                    "With TLS: trusts the certificate authorities of this PEM file and no others; by default, those that the JVM trusts.")
    private Optional<Path> authority = Optional.empty();

    @Option(
            names = CERTIFICATE_OPTION,
            paramLabel = "FILE",
            description =
                    "With TLS: the PEM file of a client certificate, for a Redis that requires one (tls-auth-clients"
                            + " yes), with its intermediate certificates. Needs --redis-client-key.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = KEY_OPTION,
            paramLabel = "FILE",
            description = "The PEM file of that certificate's key: PKCS 8, without a password.")
    private Optional<Path> key = Optional.empty();

    /** Returns whether one of the options is given. */
    public boolean isGiven() {
        return authority.isPresent() || certificate.isPresent() || key.isPresent();
    }

    /** Adds the settings of the options that are given. */
    public void addTo(Map<String, String> settings) {
        authority.ifPresent(file -> settings.put(TRUSTED, file.toString()));
        certificate.ifPresent(file -> settings.put(CERTIFICATE, file.toString()));
        key.ifPresent(file -> settings.put(KEY, file.toString()));
    }

    /** The certificates as options of a Lettuce client; empty if none of these options is given. */
    Optional<SslOptions> options() {
        if (!isGiven()) {
            return Optional.empty();
        }
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        authority.ifPresent(pem -> options.trustManager(pem.toFile()));
        certificate.ifPresent(
                pem -> options.keyManager(pem.toFile(), key.orElseThrow().toFile(), new char[0]));
        return Optional.of(options.build());
    }
}
