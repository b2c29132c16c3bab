package io.headgate.config.sources;

import java.time.Instant;

/**
 * Who wrote a version of the policies, when and why.
 *
 * @param version identifies the version and its content: its number, a hyphen and a digest, such as {@code 17-3c9f0b6a41de}
 * @param writtenAt when it was written, by the clock of the store, or of the writer if the store has none, such as etcd or Consul; later than the
 *     version before
 * @param by who wrote it
 * @param reason why it was written
 */
public record PolicyVersion(String version, Instant writtenAt, String by, String reason) {}
