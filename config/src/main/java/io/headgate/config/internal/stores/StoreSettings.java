package io.headgate.config.internal.stores;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Checks of settings that several stores have. */
public final class StoreSettings {

    /** The first part of all keys, unless another one is set. */
    public static final String DEFAULT_PREFIX = "hg";

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private StoreSettings() {}

    /**
     * Returns the first part of all keys if it is valid.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String prefix(String prefix) {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"" + prefix
                            + "\"");
        }
        return prefix;
    }

    /**
     * Returns a file in PEM format if it can be read.
     *
     * @param what the setting, for the message
     * @throws IllegalArgumentException otherwise
     */
    public static Path readable(String what, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(what + " must be a readable file in PEM format, was " + file);
        }
        return file;
    }

    /**
     * Checks that the URL of a store is one for TLS.
     *
     * @param store the name of the store, for the message
     * @throws IllegalArgumentException otherwise
     */
    public static void requireTls(String store, boolean tls) {
        if (!tls) {
            throw new IllegalArgumentException(
                    "certificates are for TLS: the URL of " + store + " must begin with https://");
        }
    }
}
