/**
 * Policies from YAML. {@link io.headgate.config.PolicyFile} reads them, {@link io.headgate.config.PolicyRegistry} keeps the ones in
 * force, and {@link io.headgate.config.ConfigException} lists the first 20 errors of a file.
 */
@NullMarked
package io.headgate.config;

import org.jspecify.annotations.NullMarked;
