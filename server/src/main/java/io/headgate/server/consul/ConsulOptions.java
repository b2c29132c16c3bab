package io.headgate.server.consul;

import io.headgate.config.ConfigException;
import io.headgate.config.consul.ConsulPolicyStore;
import io.headgate.config.consul.ConsulSettings;
import io.headgate.server.cli.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options of a command that reads or writes policies in Consul. */
public final class ConsulOptions {

    private static final String CONSUL = "--consul";
    private static final String TOKEN_FILE = "--consul-token-file";
    private static final String AUTHORITY = "--consul-ca";
    private static final String CERTIFICATE = "--consul-client-certificate";
    private static final String KEY = "--consul-client-key";

    /** The variables of Consul's own tools. */
    private static final String ADDRESS_VARIABLE = "CONSUL_HTTP_ADDR";

    private static final String TLS_VARIABLE = "CONSUL_HTTP_SSL";
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    private static final String TOKEN_VARIABLE = "CONSUL_HTTP_TOKEN";
    private static final String TOKEN_FILE_VARIABLE = "CONSUL_HTTP_TOKEN_FILE";

    @Option(
            names = CONSUL,
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_CONSUL}",
            description = {
                "The agent of the Consul that has the policies, such as http://127.0.0.1:8500.",
                "The variable HEADGATE_CONSUL does the same; without both, so does CONSUL_HTTP_ADDR, as for Consul's own tools."
            })
    private Optional<String> consul = Optional.empty();

    @Option(
            names = TOKEN_FILE,
            paramLabel = "FILE",
            description =
                    "The file of the token for Consul; by default, the variable CONSUL_HTTP_TOKEN, or the file of CONSUL_HTTP_TOKEN_FILE.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = AUTHORITY,
            paramLabel = "FILE",
            description =
                    "With an https URL of Consul: trusts the certificate authorities of this PEM file and no others; by default, those that the JVM trusts.")
    private Optional<Path> authority = Optional.empty();

    @Option(
            names = CERTIFICATE,
            paramLabel = "FILE",
            description =
                    "The PEM file of a client certificate, for a Consul that requires one, with its intermediate certificates. Needs --consul-client-key.")
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
        return List.of(CONSUL, TOKEN_FILE, AUTHORITY, CERTIFICATE, KEY).stream()
                .filter(given::hasMatchedOption)
                .findFirst();
    }

    /** Returns whether there is a URL, on the command line or in the variable HEADGATE_CONSUL. */
    public boolean hasUrl() {
        return ownUrl().isPresent();
    }

    /** Returns whether there is a URL, which may be that of Consul's own tools. */
    public boolean hasAnyUrl() {
        return url().isPresent();
    }

    /** A blank one, as from an empty variable of the environment, counts as not given. */
    private Optional<String> ownUrl() {
        return consul.filter(given -> !given.isBlank());
    }

    private Optional<String> url() {
        return ownUrl().or(() -> variable(ADDRESS_VARIABLE).map(ConsulOptions::withScheme));
    }

    /** Consul's own tools accept an address without a scheme, and use TLS also for one with http if the variable states so. */
    private static String withScheme(String address) {
        if (address.startsWith("http://") && isTls()) {
            return "https://" + address.substring("http://".length());
        }
        if (address.contains("://")) {
            return address;
        }
        return (isTls() ? "https://" : "http://") + address;
    }

    /** The texts that Consul's own tools accept as true. */
    private static boolean isTls() {
        return variable(TLS_VARIABLE).filter(TRUE::contains).isPresent();
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }

    /**
     * Creates the store of the policies, which connects with its first call.
     *
     * @param keyPrefix the value of --key-prefix
     * @throws ParameterException if there is no URL, or a value is invalid; its message contains neither the URL nor the token
     * @throws StartException if a certificate is invalid
     */
    public ConsulPolicyStore policies(String keyPrefix) {
        String url = url().orElseThrow(() ->
                wrong("give the Consul: --consul URL, or the variable HEADGATE_CONSUL or " + ADDRESS_VARIABLE));
        ConsulSettings settings = withToken(valid("", () -> ConsulSettings.of(url)));
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
        try {
            return ConsulPolicyStore.connect(settings);
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private ConsulSettings withToken(ConsulSettings settings) {
        if (tokenFile.isPresent()) {
            return withToken(settings, TOKEN_FILE, read(TOKEN_FILE, tokenFile.get()));
        }
        // As for Consul's own tools, the file has precedence.
        Optional<String> file = variable(TOKEN_FILE_VARIABLE);
        if (file.isPresent()) {
            return withToken(settings, TOKEN_FILE_VARIABLE, read(file.get()));
        }
        return variable(TOKEN_VARIABLE)
                .map(token -> withToken(settings, TOKEN_VARIABLE, token))
                .orElse(settings);
    }

    private ConsulSettings withToken(ConsulSettings settings, String from, String token) {
        return valid(from + ": ", () -> settings.withToken(token));
    }

    /** The message does not contain the path, which may be a token that was set as the wrong variable. */
    private String read(String fileOfVariable) {
        try {
            return Files.readString(Path.of(fileOfVariable)).strip();
        } catch (IOException | InvalidPathException e) {
            throw wrong(TOKEN_FILE_VARIABLE + " must be the path of a readable file with a token");
        }
    }

    private String read(String from, Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw wrong(from + " must be a readable file with a token, was " + file);
        }
    }

    private ConsulSettings withPrefix(ConsulSettings settings, String keyPrefix) {
        return valid("--key-prefix: ", () -> settings.withKeyPrefix(keyPrefix));
    }

    private ConsulSettings withAuthority(ConsulSettings settings, Path pem) {
        return valid(AUTHORITY + ": ", () -> settings.withTrustedCertificates(pem));
    }

    private ConsulSettings withCertificate(ConsulSettings settings, Path pem, Path pemOfKey) {
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
     * A command for the same Consul, to copy and try. It has the option of the URL if it is given on this command line.
     *
     * @param words the words after the name of the program
     */
    public String command(String words) {
        boolean given = command.commandLine().getParseResult().hasMatchedOption(CONSUL);
        return "./headgate " + words + (given ? " " + CONSUL + " " + ownUrl().orElse("URL") : "");
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
