package io.headgate.spring.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Customizes the contexts of tests with {@link AutoConfigureHeadgate}. */
final class LimitsCustomizerFactory implements ContextCustomizerFactory {

    /** Created by Spring. */
    LimitsCustomizerFactory() {}

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        AutoConfigureHeadgate annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureHeadgate.class);
        return annotation == null ? null : new LimitsCustomizer(annotation.engine());
    }
}
