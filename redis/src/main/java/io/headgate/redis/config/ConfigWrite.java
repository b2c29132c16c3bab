package io.headgate.redis.config;

import java.util.Optional;

/**
 * The result of a write.
 *
 * @param written whether the version was written; false if the current version is not the expected one
 * @param current the current version, which is the written one, if any; empty if there is no version
 */
public record ConfigWrite(boolean written, Optional<ConfigVersion> current) {}
