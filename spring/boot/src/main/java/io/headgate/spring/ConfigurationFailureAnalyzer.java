package io.headgate.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the application cannot start if its configuration of Headgate is wrong. */
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<HeadgateConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, HeadgateConfigurationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
    }
}
