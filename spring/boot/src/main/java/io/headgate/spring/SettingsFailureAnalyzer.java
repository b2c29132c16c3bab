package io.headgate.spring;

import io.headgate.config.ConfigException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lists the policies and settings that are wrong, each with its property and the place where it is set. */
final class SettingsFailureAnalyzer extends AbstractFailureAnalyzer<ConfigException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, ConfigException cause) {
        String listed = String.valueOf(cause.getMessage()).indent(4).stripTrailing();
        return new FailureAnalysis(
                "The configuration of Headgate is wrong:\n\n" + listed,
                "Correct what is listed. docs/spring.md, docs/policies.md and docs/connecting.md of Headgate list all settings.",
                cause);
    }
}
