package io.headgate.server.serve;

import com.linecorp.armeria.common.util.DomainSocketAddress;
import io.headgate.server.cli.StartException;
import io.headgate.server.net.ListenerTls;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The TLS options of the listeners of {@code serve}. */
final class TlsOptions {

    private static final String CERTIFICATE = "--tls-certificate";
    private static final String KEY = "--tls-key";

    @Option(
            names = CERTIFICATE,
            paramLabel = "FILE",
            description =
                    "Serves HTTPS only: the PEM file of the certificate, with its intermediate ones. A changed file is used for new connections. Needs --tls-key.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = KEY,
            paramLabel = "FILE",
            description = "The PEM file of that certificate's key: PKCS 8, without a password.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--operator-tls-certificate",
            paramLabel = "FILE",
            description = "The same for --operator-bind; by default, that of --tls-certificate.")
    private Optional<Path> operatorCertificate = Optional.empty();

    @Option(names = "--operator-tls-key", paramLabel = "FILE", description = "The key of that certificate.")
    private Optional<Path> operatorKey = Optional.empty();

    @Option(
            names = "--operator-tls-client-ca",
            paramLabel = "FILE",
            description =
                    "Requires a client certificate at --operator-bind, signed by an authority of this PEM file. Its common name (CN) may be the name of an operator, who then needs no token.")
    private Optional<Path> clientAuthorities = Optional.empty();

    /**
     * Adds the certificates to the settings.
     *
     * @param operatorListen the listener of operators, if it is not the other one
     * @throws StartException if a file cannot be read or is invalid, or options contradict each other
     */
    void addTo(ServerSettings.Builder settings, Optional<InetSocketAddress> operatorListen) {
        requirePair("--tls", certificate, key);
        requirePair("--operator-tls", operatorCertificate, operatorKey);
        boolean forOperators = operatorCertificate.isPresent() || clientAuthorities.isPresent();
        boolean overNetwork = operatorListen
                .filter(address -> !(address instanceof DomainSocketAddress))
                .isPresent();
        if (forOperators && !overNetwork) {
            throw StartException.wrongInput(
                    (operatorCertificate.isPresent() ? "--operator-tls-certificate" : "--operator-tls-client-ca")
                            + " needs --operator-bind HOST:PORT");
        }
        Optional<Path> ofOperators = operatorCertificate.or(() -> certificate);
        if (clientAuthorities.isPresent() && ofOperators.isEmpty()) {
            throw StartException.wrongInput("--operator-tls-client-ca needs --operator-tls-certificate");
        }
        settings.tls(certificate.map(file -> open("TLS", CERTIFICATE, file, key.orElseThrow(), Optional.empty())));
        if (overNetwork) {
            settings.operatorTls(ofOperators.map(file -> open(
                    "TLS of operators",
                    operatorCertificate.isPresent() ? "--operator-tls-certificate" : CERTIFICATE,
                    file,
                    operatorKey.or(() -> key).orElseThrow(),
                    clientAuthorities)));
        }
    }

    private static void requirePair(String prefix, Optional<Path> certificate, Optional<Path> key) {
        if (certificate.isPresent() != key.isPresent()) {
            throw StartException.wrongInput(
                    certificate.isPresent()
                            ? prefix + "-certificate needs " + prefix + "-key"
                            : prefix + "-key needs " + prefix + "-certificate");
        }
    }

    private static ListenerTls open(
            String what, String option, Path certificate, Path key, Optional<Path> clientAuthorities) {
        try {
            return ListenerTls.open(what, certificate, key, clientAuthorities);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(option + " " + certificate + ": " + e.getMessage());
        }
    }
}
