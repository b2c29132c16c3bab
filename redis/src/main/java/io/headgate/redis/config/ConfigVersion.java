package io.headgate.redis.config;

import java.time.Instant;
import java.util.List;

/**
 * Who wrote a version of a configuration, when and why.
 *
 * @param id identifies the version and its content: its number, a hyphen and a digest, such as {@code 17-3c9f0b6a41de}
 * @param writtenAt when it was written, by the clock of Redis; later than the version before
 * @param by who wrote it
 * @param reason why it was written
 * @param names the names of its texts
 */
public record ConfigVersion(String id, Instant writtenAt, String by, String reason, List<String> names) {

    /** Copies the names. */
    public ConfigVersion {
        names = List.copyOf(names);
    }
}
