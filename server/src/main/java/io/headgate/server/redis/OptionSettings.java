package io.headgate.server.redis;

import io.headgate.config.ConfigException;
import io.headgate.config.settings.RedisConfig;
import io.headgate.config.settings.RedisEngineSettings;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Turns options of a command line into settings of the engines, and rejects invalid values. */
public final class OptionSettings {

    /** The options whose names differ from those of their settings. */
    private static final Map<String, String> OPTIONS = Map.of(
            "url",
            "--redis",
            "timeout",
            "--redis-timeout",
            "expected-instances",
            "--instances",
            RedisTls.TRUSTED,
            RedisTls.TRUSTED_OPTION,
            RedisTls.CERTIFICATE,
            RedisTls.CERTIFICATE_OPTION,
            RedisTls.KEY,
            RedisTls.KEY_OPTION);

    private OptionSettings() {}

    /**
     * Reads the settings.
     *
     * @param settings the values of options by the names of the settings, see {@link RedisConfig}
     * @param command the command line, for the error
     * @throws ParameterException if a value is wrong; its message names the option, and contains neither a URL nor a password
     */
    public static RedisEngineSettings read(Map<String, String> settings, CommandLine command) {
        try {
            return RedisConfig.fromSettings(settings, setting -> OPTIONS.getOrDefault(setting, "--" + setting));
        } catch (ConfigException e) {
            // "--redis-timeout: must be ..." becomes "--redis-timeout must be ...".
            String problem = e.problems().get(0);
            throw new ParameterException(command, problem.replaceFirst(": (must be|needs) ", " $1 "));
        }
    }
}
