package io.headgate.server.etcd;

import io.headgate.config.ConfigException;
import io.headgate.config.etcd.EtcdPolicyStore;
import io.headgate.config.etcd.EtcdSettings;
import io.headgate.server.cli.StartException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options of a command that reads or writes policies in etcd. */
public final class EtcdOptions {

    /** Logs warnings with stack traces for failures that the store reports. It loses its level unless it is referred to. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private static final String ETCD = "--etcd";
    private static final String AUTHORITY = "--etcd-ca";
    private static final String CERTIFICATE = "--etcd-client-certificate";
    private static final String KEY = "--etcd-client-key";

    @Option(
            names = ETCD,
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_ETCD}",
            description = {
                "The etcd that has the policies, such as http://127.0.0.1:2379, or https://user:password@host:2379,host:2379.",
                "The variable HEADGATE_ETCD does the same and keeps a password out of the process list."
            })
    private Optional<String> etcd = Optional.empty();

    @Option(
            names = AUTHORITY,
            paramLabel = "FILE",
            description =
                    "With an https URL of etcd: trusts the certificate authorities of this PEM file and no others; by default, those that the JVM trusts.")
    private Optional<Path> authority = Optional.empty();

    @Option(
            names = CERTIFICATE,
            paramLabel = "FILE",
            description =
                    "The PEM file of a client certificate, for an etcd that requires one, with its intermediate certificates. Needs --etcd-client-key.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = KEY,
            paramLabel = "FILE",
            description = "The PEM file of that certificate's key: PKCS 8, without a password.")
    private Optional<Path> key = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /** Returns the first of these options that is on the command line. A variable of the environment does not count. */
    public Optional<String> given() {
        ParseResult given = command.commandLine().getParseResult();
        return List.of(ETCD, AUTHORITY, CERTIFICATE, KEY).stream()
                .filter(given::hasMatchedOption)
                .findFirst();
    }

    /** Returns whether there is a URL, on the command line or in the environment. */
    public boolean hasUrl() {
        return url().isPresent();
    }

    /** A blank one, as from an empty variable of the environment, counts as not given. */
    private Optional<String> url() {
        return etcd.filter(given -> !given.isBlank());
    }

    /**
     * Creates the store of the policies, which connects with its first call.
     *
     * @param keyPrefix the value of --key-prefix
     * @throws ParameterException if there is no URL, or a value is invalid; its message contains neither the URL nor a password
     * @throws StartException if a certificate is invalid
     */
    public EtcdPolicyStore policies(String keyPrefix) {
        String url = url().orElseThrow(() -> wrong("give the etcd: --etcd URL, or the variable HEADGATE_ETCD"));
        EtcdSettings settings = valid("", () -> EtcdSettings.of(url));
        settings = withPrefix(settings, keyPrefix);
        if (authority.isPresent()) {
            settings = withAuthority(settings, authority.get());
        }
        if (certificate.isPresent() != key.isPresent()) {
            throw wrong(key.isPresent() ? KEY + " needs " + CERTIFICATE : CERTIFICATE + " needs " + KEY);
        }
        if (certificate.isPresent()) {
            settings = withCertificate(settings, certificate.get(), key.orElseThrow());
        }
        GRPC.setLevel(Level.SEVERE);
        try {
            return EtcdPolicyStore.connect(settings);
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private EtcdSettings withPrefix(EtcdSettings settings, String keyPrefix) {
        return valid("--key-prefix: ", () -> settings.withKeyPrefix(keyPrefix));
    }

    private EtcdSettings withAuthority(EtcdSettings settings, Path pem) {
        return valid(AUTHORITY + ": ", () -> settings.withTrustedCertificates(pem));
    }

    private EtcdSettings withCertificate(EtcdSettings settings, Path pem, Path pemOfKey) {
        return valid(CERTIFICATE + ": ", () -> settings.withClientCertificate(pem, pemOfKey));
    }

    private <T> T valid(String option, Supplier<T> setting) {
        try {
            return setting.get();
        } catch (IllegalArgumentException e) {
            throw wrong(option + e.getMessage());
        }
    }

    /**
     * A command for the same etcd, to copy and try. It has the option of the URL if it is given on this command line. The word URL stands
     * for a URL that contains a password.
     *
     * @param words the words after the name of the program
     */
    public String command(String words) {
        boolean given = command.commandLine().getParseResult().hasMatchedOption(ETCD);
        String shown = url().filter(url -> !url.contains("@")).orElse("URL");
        return "./headgate " + words + (given ? " " + ETCD + " " + shown : "");
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
