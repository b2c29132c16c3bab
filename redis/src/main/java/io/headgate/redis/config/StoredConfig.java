package io.headgate.redis.config;

import java.util.List;

/**
 * A version of a configuration.
 *
 * @param texts as many texts as the version has names, in the same order
 */
public record StoredConfig(ConfigVersion version, List<String> texts) {

    /** Copies the texts. */
    public StoredConfig {
        texts = List.copyOf(texts);
    }
}
