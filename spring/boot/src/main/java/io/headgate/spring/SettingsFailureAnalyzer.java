package io.headgate.spring;

import io.headgate.config.ConfigException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Lists the policies and settings that are wrong, each with its property and the place where it is set. */
final class SettingsFailureAnalyzer extends AbstractFailureAnalyzer<ConfigException> {

    private final Environment environment;

    SettingsFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable root, ConfigException cause) {
        String listed = new PropertyOrigins(environment)
                .addTo(String.valueOf(cause.getMessage()))
                .indent(4)
                .stripTrailing();
        return new FailureAnalysis(
                "The configuration of Headgate is wrong:\n\n" + listed,
                "Correct what is listed. All settings are in docs/spring.md of Headgate and in the guides that it links to.",
                cause);
    }
}
