/**
 * Settings of the engines on Redis, from YAML or from properties: {@link io.headgate.config.settings.RedisConfig} reads {@link
 * io.headgate.config.settings.RedisEngineSettings}. Needs {@code headgate-redis}, on which {@code headgate-config} depends optionally.
 */
@NullMarked
package io.headgate.config.settings;

import org.jspecify.annotations.NullMarked;
