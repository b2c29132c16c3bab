package io.headgate.config.settings;

import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.redis.RedisSettings;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the settings of the connection to Redis: URL, credentials and client certificate. */
final class ConnectionReader {

    private static final RedisSettings STAND_IN = RedisSettings.of("rediss://localhost");
    private static final Pattern PARTS = Pattern.compile("([a-z-]+://)([^/?#]*)(.*)", Pattern.DOTALL);
    private static final String DEFAULT_USER = "default";

    private final Fields fields;
    private final Problems problems;
    private final Function<Yaml, Optional<String>> text;
    private final UnaryOperator<String> shownName;

    ConnectionReader(
            Fields fields, Problems problems, Function<Yaml, Optional<String>> text, UnaryOperator<String> shownName) {
        this.fields = fields;
        this.problems = problems;
        this.text = text;
        this.shownName = shownName;
    }

    /** Returns the connection, without further settings; a stand-in if its settings are wrong. */
    RedisSettings target(Optional<RedisSettings> given) {
        if (given.isPresent()) {
            for (Setting setting : List.of(Setting.URL, Setting.USERNAME, Setting.PASSWORD)) {
                fields.optional(setting.key())
                        .ifPresent(entry -> problems.add(
                                entry.key(), "cannot be set, because the application provides the connection"));
            }
            return given.get();
        }
        Yaml.Entry url = fields.required(Setting.URL.key());
        return text.apply(url.value())
                .flatMap(plain -> withCredentials(plain, url))
                .map(complete -> problems.made(url.key(), STAND_IN, () -> settings(complete)))
                .orElse(STAND_IN);
    }

    private static RedisSettings settings(String url) {
        try {
            return RedisSettings.of(url);
        } catch (IllegalArgumentException e) {
            // The name of the setting precedes the message.
            throw new IllegalArgumentException(String.valueOf(e.getMessage()).replaceFirst("^url ", ""));
        }
    }

    /** Returns the URL with the user and the password from their separate settings. */
    private Optional<String> withCredentials(String url, Yaml.Entry entry) {
        Optional<String> user = text(Setting.USERNAME);
        Optional<String> password = text(Setting.PASSWORD);
        if (password.isEmpty()) {
            fields.optional(Setting.USERNAME.key())
                    .filter(given -> fields.optional(Setting.PASSWORD.key()).isEmpty())
                    .ifPresent(given -> problems.add(given.key(), "needs " + shownName.apply(Setting.PASSWORD.key())));
            return Optional.of(url);
        }
        Matcher parts = PARTS.matcher(url);
        if (!parts.matches()) {
            return Optional.of(url); // RedisSettings rejects it later
        }
        if (parts.group(2).indexOf('@') >= 0) {
            problems.add(
                    entry.key(),
                    "contains credentials, and %1$s is set too; remove them from the url, or remove %1$s"
                            .formatted(shownName.apply(Setting.PASSWORD.key())));
            return Optional.empty();
        }
        return Optional.of(parts.group(1) + encoded(user.orElse(DEFAULT_USER)) + ":" + encoded(password.get()) + "@"
                + parts.group(2) + parts.group(3));
    }

    private Optional<String> text(Setting setting) {
        return fields.optional(setting.key()).flatMap(entry -> text.apply(entry.value()));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the connection with a client certificate, if the settings have one. */
    RedisSettings clientCertificate(RedisSettings connection, Function<Yaml, Optional<Path>> file) {
        Optional<Yaml.Entry> certificate = fields.optional(Setting.CLIENT_CERTIFICATE.key());
        Optional<Yaml.Entry> key = fields.optional(Setting.CLIENT_KEY.key());
        if (certificate.isPresent() != key.isPresent()) {
            Setting missing = certificate.isPresent() ? Setting.CLIENT_KEY : Setting.CLIENT_CERTIFICATE;
            problems.add(certificate.or(() -> key).orElseThrow().key(), "needs " + shownName.apply(missing.key()));
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            return connection;
        }
        Optional<Path> pem = file.apply(certificate.get().value());
        Optional<Path> privateKey = file.apply(key.get().value());
        if (pem.isEmpty() || privateKey.isEmpty()) {
            return connection;
        }
        // Each file is tried alone, so that each problem names its own setting; withTrustedCertificates makes the same
        // checks. Without TLS, the problem of the certificate is enough.
        boolean certificateAccepted =
                problems.accepted(certificate.get().value(), "", () -> connection.withTrustedCertificates(pem.get()));
        boolean keyAccepted =
                connectionHasNoTls(connection) || acceptedKey(key.get().value(), connection, privateKey.get());
        return certificateAccepted && keyAccepted
                ? connection.withClientCertificate(pem.get(), privateKey.get())
                : connection;
    }

    /** Checks the file of a key. The error does not show the value, which may be the key itself instead of its path. */
    private boolean acceptedKey(Yaml value, RedisSettings connection, Path file) {
        try {
            connection.withTrustedCertificates(file);
            return true;
        } catch (IllegalArgumentException e) {
            problems.add(value.where(), "must be the path of a readable PEM file");
            return false;
        }
    }

    private static boolean connectionHasNoTls(RedisSettings connection) {
        return connection.uris().stream().noneMatch(uri -> uri.isSsl());
    }
}
