package io.headgate.config.sources;

import java.time.Instant;
import java.util.Optional;

/**
 * A process that applies the policies of a {@link PolicyStore}.
 *
 * @param name its host and process id, such as {@code web-1:4711}
 * @param version the version in force there
 * @param since when it applied that version, by its own clock
 * @param rejected why it has rejected the latest version, in one line, or cannot read it; empty if it has not
 */
public record PolicyInstance(String name, String version, Instant since, Optional<String> rejected) {}
