package io.headgate.config.consul;

import io.headgate.config.internal.stores.ClientCertificate;
import io.headgate.config.internal.stores.StoreSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of connections to Consul.
 *
 * <pre>{@code
 * ConsulSettings consul = ConsulSettings.of("https://127.0.0.1:8501")
 *         .withToken(token)
 *         .withTrustedCertificates(Path.of("consul-agent-ca.pem"));
 * }</pre>
 *
 * <p>Immutable: each {@code with} method returns new settings. Each method checks its arguments, before anything is connected: an invalid
 * value causes an {@link IllegalArgumentException}. Neither its message nor {@link #toString} contains the token.
 */
public final class ConsulSettings {

    private static final Pattern URL =
            Pattern.compile("(https?)://(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9.-]+)(?::([0-9]{1,5}))?/?");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,512}");
    private static final int MAX_PORT = 65_535;
    private static final String FORM = "the URL of Consul must be such as http://127.0.0.1:8500"
            + " or https://consul.example.com:8501, without a user, a path or a query";

    private final URI url;
    private final Optional<String> token;
    private final String keyPrefix;
    private final Optional<Path> trusted;
    private final Optional<ClientCertificate> certificate;

    private ConsulSettings(
            URI url,
            Optional<String> token,
            String keyPrefix,
            Optional<Path> trusted,
            Optional<ClientCertificate> certificate) {
        this.url = url;
        this.token = token;
        this.keyPrefix = keyPrefix;
        this.trusted = trusted;
        this.certificate = certificate;
    }

    /**
     * Connects to this URL, usually that of the agent on the same machine.
     *
     * @param url {@code http://host[:port]}, or {@code https} for TLS; the port is 8500 by default, or 8501 with TLS
     * @throws IllegalArgumentException if the URL has another form; the message does not contain the URL
     */
    public static ConsulSettings of(String url) {
        Matcher parts = URL.matcher(Objects.requireNonNull(url, "url"));
        if (!parts.matches()) {
            throw new IllegalArgumentException(FORM);
        }
        String scheme = parts.group(1);
        String port = Optional.ofNullable(parts.group(3)).orElse(scheme.equals("https") ? "8501" : "8500");
        if (Integer.parseInt(port) > MAX_PORT) {
            throw new IllegalArgumentException("the port of Consul must be at most " + MAX_PORT + ", was " + port);
        }
        URI address = URI.create(scheme + "://" + parts.group(2) + ":" + port);
        if (address.getHost() == null) {
            throw new IllegalArgumentException(FORM);
        }
        return new ConsulSettings(
                address, Optional.empty(), StoreSettings.DEFAULT_PREFIX, Optional.empty(), Optional.empty());
    }

    /**
     * Sets the token of Consul's access control lists; none by default. It needs the right to read and write all keys that start with
     * {@code hg/config/policies/}, and to write sessions. Processes that never apply policies may only read keys, but then their versions
     * are not reported.
     *
     * @param token 1 to 512 visible characters of ASCII
     */
    public ConsulSettings withToken(String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "the token of Consul must have 1 to 512 visible characters of ASCII, has " + token.length());
        }
        return new ConsulSettings(url, Optional.of(token), keyPrefix, trusted, certificate);
    }

    /**
     * Sets the first part of all keys, {@code hg} by default.
     *
     * @param prefix 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    public ConsulSettings withKeyPrefix(String prefix) {
        return new ConsulSettings(url, token, StoreSettings.prefix(prefix), trusted, certificate);
    }

    /**
     * Trusts only servers whose certificate one of these authorities has signed, instead of the authorities that the JVM trusts. The file
     * is read again after each failed connection.
     *
     * @param pem a readable file of certificates in PEM format
     * @throws IllegalArgumentException if the file can't be read, or the URL is not one for TLS
     */
    public ConsulSettings withTrustedCertificates(Path pem) {
        StoreSettings.requireTls("Consul", isTls());
        return new ConsulSettings(
                url, token, keyPrefix, Optional.of(StoreSettings.readable("trustedCertificates", pem)), certificate);
    }

    /**
     * Presents this certificate to a Consul that requires one; none by default. The files are read again after each failed connection.
     *
     * @param pem a readable file of the certificate and its intermediate certificates in PEM format
     * @param key a readable file of its private key: PKCS 8 in PEM format, without a password
     * @throws IllegalArgumentException if a file can't be read, or the URL is not one for TLS
     */
    public ConsulSettings withClientCertificate(Path pem, Path key) {
        StoreSettings.requireTls("Consul", isTls());
        return new ConsulSettings(url, token, keyPrefix, trusted, Optional.of(ClientCertificate.readable(pem, key)));
    }

    boolean isTls() {
        return "https".equals(url.getScheme());
    }

    /** The URL, without a slash at its end. */
    String address() {
        return url.toString();
    }

    Optional<String> token() {
        return token;
    }

    String keyPrefix() {
        return keyPrefix;
    }

    Optional<Path> trusted() {
        return trusted;
    }

    Optional<ClientCertificate> certificate() {
        return certificate;
    }

    /** Names the URL and the prefix, but not the token. */
    @Override
    public String toString() {
        return "ConsulSettings[" + address() + ", keyPrefix=" + keyPrefix + "]";
    }
}
