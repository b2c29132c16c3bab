package io.headgate.config.etcd;

import io.headgate.config.internal.stores.ClientCertificate;
import io.headgate.config.internal.stores.StoreSettings;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of connections to etcd.
 *
 * <pre>{@code
 * EtcdSettings etcd = EtcdSettings.of("https://alice:secret@etcd-1:2379,etcd-2:2379,etcd-3:2379")
 *         .withTrustedCertificates(Path.of("etcd-ca.pem"));
 * }</pre>
 *
 * <p>Immutable: each {@code with} method returns new settings. Each method checks its arguments, before anything is connected: an invalid
 * value causes an {@link IllegalArgumentException}. Neither its message nor {@link #toString} contains a password.
 */
public final class EtcdSettings {

    /** Scheme, user, password and hosts. The last @ ends the password, as a host has none. */
    private static final Pattern URL = Pattern.compile("(https?)://(?:([^:@/]*):([^/]*)@)?([^@/]+)/?");

    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9.-]+)(?::([0-9]{1,5}))?");
    private static final int MAX_PORT = 65_535;
    private static final String FORM =
            "the URL of etcd must be such as http://127.0.0.1:2379 or https://user:password@host:2379,host:2379,"
                    + " with special characters of the password percent-encoded";

    private final boolean tls;
    private final List<URI> endpoints;
    private final Optional<Credentials> credentials;
    private final String keyPrefix;
    private final Optional<Path> trusted;
    private final Optional<ClientCertificate> certificate;

    record Credentials(String user, String password) {}

    private EtcdSettings(
            boolean tls,
            List<URI> endpoints,
            Optional<Credentials> credentials,
            String keyPrefix,
            Optional<Path> trusted,
            Optional<ClientCertificate> certificate) {
        this.tls = tls;
        this.endpoints = endpoints;
        this.credentials = credentials;
        this.keyPrefix = keyPrefix;
        this.trusted = trusted;
        this.certificate = certificate;
    }

    /**
     * Connects to this URL.
     *
     * @param url {@code http://[user:password@]host[:port],host[:port]...}, or {@code https} for TLS, with members of one etcd cluster; the
     *     port is 2379 by default. Special characters of the user and the password are percent-encoded.
     * @throws IllegalArgumentException if the URL has another form; the message does not contain the URL
     */
    public static EtcdSettings of(String url) {
        Matcher parts = URL.matcher(Objects.requireNonNull(url, "url"));
        if (!parts.matches()) {
            throw new IllegalArgumentException(FORM);
        }
        boolean tls = parts.group(1).equals("https");
        List<URI> endpoints = new ArrayList<>();
        for (String host : parts.group(4).split(",", -1)) {
            endpoints.add(endpoint(parts.group(1), host));
        }
        EtcdSettings settings = new EtcdSettings(
                tls,
                List.copyOf(endpoints),
                Optional.empty(),
                StoreSettings.DEFAULT_PREFIX,
                Optional.empty(),
                Optional.empty());
        return parts.group(2) == null ? settings : settings.withUser(decoded(parts.group(2)), decoded(parts.group(3)));
    }

    private static URI endpoint(String scheme, String host) {
        Matcher parts = HOST.matcher(host);
        if (!parts.matches()) {
            throw new IllegalArgumentException(FORM);
        }
        String port = Optional.ofNullable(parts.group(2)).orElse("2379");
        if (Integer.parseInt(port) > MAX_PORT) {
            throw new IllegalArgumentException("a port of etcd must be at most " + MAX_PORT + ", was " + port);
        }
        URI endpoint = URI.create(scheme + "://" + parts.group(1) + ":" + port);
        if (endpoint.getHost() == null) {
            throw new IllegalArgumentException(FORM);
        }
        return endpoint;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(FORM);
        }
    }

    /**
     * Sets the user and the password; none by default. The user needs the right to read and write all keys that start with {@code
     * /hg/config/policies/}; processes that never apply policies may only read, but then their versions are not reported.
     *
     * @param user not empty
     * @param password not empty
     */
    public EtcdSettings withUser(String user, String password) {
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("the user and the password of etcd must not be empty");
        }
        return new EtcdSettings(
                tls, endpoints, Optional.of(new Credentials(user, password)), keyPrefix, trusted, certificate);
    }

    /**
     * Sets the first part of all keys, {@code hg} by default.
     *
     * @param prefix 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    public EtcdSettings withKeyPrefix(String prefix) {
        return new EtcdSettings(tls, endpoints, credentials, StoreSettings.prefix(prefix), trusted, certificate);
    }

    /**
     * Trusts only servers whose certificate one of these authorities has signed, instead of the authorities that the JVM trusts. The file
     * is read again after each failed connection.
     *
     * @param pem a readable file of certificates in PEM format
     * @throws IllegalArgumentException if the file can't be read, or the URL is not one for TLS
     */
    public EtcdSettings withTrustedCertificates(Path pem) {
        StoreSettings.requireTls("etcd", tls);
        return new EtcdSettings(
                tls,
                endpoints,
                credentials,
                keyPrefix,
                Optional.of(StoreSettings.readable("trustedCertificates", pem)),
                certificate);
    }

    /**
     * Presents this certificate to an etcd that requires one; none by default. The files are read again after each failed connection.
     *
     * @param pem a readable file of the certificate and its intermediate certificates in PEM format
     * @param key a readable file of its private key: PKCS 8 in PEM format, without a password
     * @throws IllegalArgumentException if a file can't be read, or the URL is not one for TLS
     */
    public EtcdSettings withClientCertificate(Path pem, Path key) {
        StoreSettings.requireTls("etcd", tls);
        return new EtcdSettings(
                tls, endpoints, credentials, keyPrefix, trusted, Optional.of(ClientCertificate.readable(pem, key)));
    }

    boolean isTls() {
        return tls;
    }

    List<URI> endpoints() {
        return endpoints;
    }

    Optional<Credentials> credentials() {
        return credentials;
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

    /** The members, without the user and the password. */
    String address() {
        List<String> hosts = endpoints.stream().map(URI::getAuthority).toList();
        return (tls ? "https://" : "http://") + String.join(",", hosts);
    }

    /** Names the members and the prefix, but neither user nor password. */
    @Override
    public String toString() {
        return "EtcdSettings[" + address() + ", keyPrefix=" + keyPrefix + "]";
    }
}
