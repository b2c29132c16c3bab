package io.headgate.server.redis;

import io.headgate.redis.RedisSettings;
import io.lettuce.core.SslOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The TLS options of a command: trusted authorities, and the client certificate. */
public final class RedisTls {

    @Option(
            names = "--redis-ca",
            paramLabel = "FILE",
            description =
                    "With TLS: trusts the authorities of this PEM file and no others; by default, those of this Java.")
    private Optional<Path> authority = Optional.empty();

    @Option(
            names = "--redis-client-certificate",
            paramLabel = "FILE",
            description =
                    "With TLS: the PEM file of a certificate for a Redis that asks for one (tls-auth-clients yes), with"
                            + " those that vouch for it. Needs --redis-client-key.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--redis-client-key",
            paramLabel = "FILE",
            description = "The PEM file of that certificate's key: PKCS 8, without a password.")
    private Optional<Path> key = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /** Returns whether one of the options is given. */
    public boolean isGiven() {
        return authority.isPresent() || certificate.isPresent() || key.isPresent();
    }

    /**
     * Rejects options that contradict each other, or the URL.
     *
     * @throws ParameterException with the name of the option
     */
    public void check(String url) {
        if (isGiven() && !url.startsWith("rediss")) {
            throw wrong("certificates are for TLS: --redis must begin with rediss://, rediss-sentinel:// or"
                    + " rediss-cluster://");
        }
        if (certificate.isPresent() != key.isPresent()) {
            throw wrong("--redis-client-certificate and --redis-client-key must be given together");
        }
        readable("--redis-ca", authority);
        readable("--redis-client-certificate", certificate);
        readable("--redis-client-key", key);
    }

    private void readable(String option, Optional<Path> file) {
        file.filter(path -> !Files.isReadable(path)).ifPresent(path -> {
            throw wrong(option + " must be a file in PEM that can be read, was " + path);
        });
    }

    /** Returns the settings with these certificates. */
    public RedisSettings with(RedisSettings settings) {
        RedisSettings trusting =
                authority.map(settings::withTrustedCertificates).orElse(settings);
        return certificate
                .map(pem -> trusting.withClientCertificate(pem, key.orElseThrow()))
                .orElse(trusting);
    }

    /** The certificates as options of a Lettuce client. */
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

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
