/**
 * Policies from YAML: {@link io.headgate.config.PolicyFile} reads them, {@link io.headgate.config.ConfigException} says
 * everything that is wrong with a file.
 */
@NullMarked
package io.headgate.config;

import org.jspecify.annotations.NullMarked;
