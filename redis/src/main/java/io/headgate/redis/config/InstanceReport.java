package io.headgate.redis.config;

import java.time.Instant;
import java.util.Optional;

/**
 * Which version of a configuration an instance runs.
 *
 * @param instance the name of the instance, such as its host and process
 * @param version the id of the version in force there
 * @param since when the instance applied it, by its own clock
 * @param rejected why it has rejected the latest version, if it has: the first line, up to 1000 characters
 * @param preview what it has found about the shadow version, as text of its own; empty if nothing
 */
public record InstanceReport(
        String instance, String version, Instant since, Optional<String> rejected, Optional<String> preview) {}
