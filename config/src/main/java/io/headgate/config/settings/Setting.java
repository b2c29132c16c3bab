package io.headgate.config.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The settings that {@link RedisConfig} reads. */
enum Setting {
    URL,
    USERNAME,
    PASSWORD,
    KEY_PREFIX,
    TIMEOUT,
    MAX_IN_FLIGHT_CALLS,
    TRUSTED_CERTIFICATES,
    CLIENT_CERTIFICATE,
    CLIENT_KEY,
    CONNECTION_REQUIRED,
    FALLBACK,
    BUDGET,
    EXPECTED_INSTANCES,
    BATCHING,
    MAX_CACHED_DENIALS,
    INVALIDATIONS,
    REQUEST_ID_HORIZON,
    HOT_KEYS,
    HOT_KEYS_INTERVAL;

    /** Returns the name of this setting in YAML and in properties, for example {@code key-prefix}. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the names of all settings. */
    static List<String> keys() {
        return Arrays.stream(values()).map(Setting::key).toList();
    }
}
